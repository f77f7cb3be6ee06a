//! The extension module `dlc._dlc`: sessions and programs of the library, for the Python code next to it.
//!
//! Arrays come and go as a name of their element type, their sizes and their bytes; `_arrays.py` makes arrays of numpy and
//! torch of that. Nothing here holds the GIL while it compiles, evaluates or waits for a device.

mod errors;
mod tools;

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use dlc::{
    Arguments, Array, CompileOptions, Device, DeviceTensor, Elem, F32, Passes, Planning, SessionOptions, Source,
};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use errors::{raise, warnings};

/// An array: the name of the type of its elements, its sizes, its bytes in row-major order.
type HostArray = (String, Vec<usize>, PyBuffer<u8>);
/// The same, given back.
type Made = (String, Vec<usize>, Py<PyByteArray>);
/// A tensor of a device: the name of the type of its elements, and its sizes.
type OnDevice = (String, Vec<usize>);
/// An input or output: its name, its type in the IR, its sizes as text, and the name of the type of its elements.
type PortInfo = (String, String, Vec<String>, Option<String>);

/// Where programs run, and what is kept between them.
#[pyclass(frozen)]
struct Session(dlc::Session);

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (device, threads, cache, time_limit))]
    fn new(device: &str, threads: Option<usize>, cache: Option<u64>, time_limit: f64) -> PyResult<Session> {
        let device = Device::from_str(device).map_err(|why| PyValueError::new_err(format!("device: {why}")))?;
        let usual = SessionOptions::default();
        let time_limit = Duration::try_from_secs_f64(time_limit)
            .map_err(|why| PyValueError::new_err(format!("time_limit: {why}")))?;
        let threads = threads.unwrap_or(usual.threads).max(1);
        Ok(Session(dlc::Session::new(SessionOptions { device, threads, cache, time_limit })))
    }

    /// Compiles a text, or what a file holds.
    #[pyo3(signature = (text, path, function, sizes, shape_sets, passes, choose_plans, plans, plan_cache, target, unchecked))]
    #[allow(clippy::too_many_arguments)]
    fn compile(
        &self,
        py: Python<'_>,
        text: Option<String>,
        path: Option<PathBuf>,
        function: Option<String>,
        sizes: Vec<(String, i64)>,
        shape_sets: Vec<Vec<(String, i64)>>,
        passes: Option<String>,
        choose_plans: bool,
        plans: Vec<String>,
        plan_cache: Option<PathBuf>,
        target: Option<String>,
        unchecked: bool,
    ) -> PyResult<Program> {
        let passes = match passes.as_deref() {
            None => Passes::Standard,
            Some("") => Passes::None,
            Some(pipeline) => Passes::Text(pipeline.to_string()),
        };
        let planning = if choose_plans { Planning::Choose(F32::default()) } else { Planning::Off };
        let options =
            CompileOptions { function, sizes, shape_sets, passes, planning, plans, plan_cache, target, unchecked };
        let compiled = py.detach(|| match (&text, &path) {
            (Some(text), _) => self.0.compile(Source::Text(text), &options),
            (None, path) => self.0.compile(Source::Path(path.as_deref().unwrap_or("".as_ref())), &options),
        });
        let program = compiled.map_err(|error| raise(py, &error))?;
        warnings(py, program.warnings())?;
        Ok(Program(program))
    }
}

/// A program that was compiled.
#[pyclass(frozen)]
struct Program(dlc::Program);

fn info(ports: Vec<dlc::Port>) -> Vec<PortInfo> {
    ports.into_iter().map(|port| (port.name, port.ty, port.shape, port.elem.map(Elem::name))).collect()
}

fn array(py: Python<'_>, (elem, shape, buffer): HostArray) -> PyResult<Array> {
    let elem = Elem::from_str(&elem).map_err(PyValueError::new_err)?;
    let bytes = buffer.to_vec(py)?;
    let count = shape.iter().try_fold(elem.size(), |bytes, &size| bytes.checked_mul(size));
    match count == Some(bytes.len()) {
        true => Ok(Array { shape, elem, bytes }),
        false => Err(PyValueError::new_err("the bytes of an array are not those of its sizes")),
    }
}

#[pymethods]
impl Program {
    /// The name of the function.
    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    /// The symbols of its sizes.
    #[getter]
    fn symbols(&self) -> Vec<String> {
        self.0.symbols().to_vec()
    }

    /// What it takes.
    #[getter]
    fn inputs(&self) -> Vec<PortInfo> {
        info(self.0.inputs())
    }

    /// What it gives.
    #[getter]
    fn outputs(&self) -> Vec<PortInfo> {
        info(self.0.outputs())
    }

    /// Runs it. What it gives, and the name of what it ran on.
    fn call(
        &self,
        py: Python<'_>,
        positional: Vec<HostArray>,
        named: Vec<(String, HostArray)>,
        sizes: Vec<(String, i64)>,
    ) -> PyResult<(Vec<Made>, String)> {
        let mut arguments = Arguments::new();
        for given in positional {
            arguments = arguments.and(array(py, given)?);
        }
        for (name, given) in named {
            arguments = arguments.named(name, array(py, given)?);
        }
        for (symbol, size) in sizes {
            arguments = arguments.size(symbol, size);
        }
        let returned = py.detach(|| self.0.call(arguments)).map_err(|error| raise(py, &error))?;
        warnings(py, &returned.warnings)?;
        let made = |array: Array| (array.elem.name(), array.shape, PyByteArray::new(py, &array.bytes).unbind());
        Ok((returned.outputs.into_iter().map(made).collect(), returned.device))
    }

    /// Makes calls on tensors of a device ready.
    fn on_device(
        &self,
        py: Python<'_>,
        device: u32,
        positional: Vec<OnDevice>,
        named: Vec<(String, OnDevice)>,
        sizes: Vec<(String, i64)>,
    ) -> PyResult<DeviceCall> {
        let positional = positional.into_iter().map(tensor).collect::<PyResult<Vec<_>>>()?;
        let named = named.into_iter().map(|(name, given)| Ok((name, tensor(given)?))).collect::<PyResult<Vec<_>>>()?;
        let call = py.detach(|| self.0.on_device(device, &positional, &named, &sizes));
        call.map(DeviceCall).map_err(|error| raise(py, &error))
    }

    /// The program at a layer.
    fn text(&self, py: Python<'_>, layer: &str) -> PyResult<String> {
        py.detach(|| self.0.text(layer)).map_err(|error| raise(py, &error))
    }

    /// What passes decided, and why.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.explain()).map_err(|error| raise(py, &error))
    }

    /// A page that shows it after each pass.
    fn explore(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.explore()).map_err(|error| raise(py, &error))
    }

    /// Measures plans for some seconds, at some sizes; a table of what was measured.
    fn tune(&self, py: Python<'_>, sizes: Vec<(String, i64)>, seconds: f64) -> PyResult<String> {
        let time =
            Duration::try_from_secs_f64(seconds).map_err(|why| PyValueError::new_err(format!("seconds: {why}")))?;
        let tuned = py.detach(|| self.0.tune(&sizes, time)).map_err(|error| raise(py, &error))?;
        Ok(dlc_opt::table::lines(&tuned.table()))
    }

    /// For each kernel its name, and its plan as JSON.
    fn plans(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let plans = py.detach(|| self.0.plans()).map_err(|error| raise(py, &error))?;
        Ok(plans.into_iter().map(|plan| (plan.kernel, plan.json)).collect())
    }

    /// The PTX, and its launch manifest as JSON.
    fn ptx(&self, py: Python<'_>) -> PyResult<(String, String)> {
        let ptx = py.detach(|| self.0.ptx()).map_err(|error| raise(py, &error))?;
        Ok((ptx.text, ptx.manifest))
    }
}

fn tensor((elem, shape): OnDevice) -> PyResult<DeviceTensor> {
    let elem = Elem::from_str(&elem).map_err(PyValueError::new_err)?;
    Ok(DeviceTensor { shape, elem })
}

/// A program for tensors of certain sizes on a device.
#[pyclass(frozen)]
struct DeviceCall(dlc::DeviceCall);

#[pymethods]
impl DeviceCall {
    /// The names of the types and the sizes of the outputs.
    #[getter]
    fn outputs(&self) -> Vec<(Option<String>, Vec<usize>)> {
        self.0.outputs().into_iter().map(|(shape, elem)| (elem.map(Elem::name), shape)).collect()
    }

    /// Puts the launches into a stream.
    fn launch(&self, py: Python<'_>, inputs: Vec<u64>, outputs: Vec<u64>, stream: u64) -> PyResult<()> {
        py.detach(|| self.0.launch(&inputs, &outputs, stream)).map_err(|error| raise(py, &error))
    }
}

/// The module.
#[pymodule]
fn _dlc(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Session>()?;
    module.add_class::<Program>()?;
    module.add_class::<DeviceCall>()?;
    module.add_function(wrap_pyfunction!(tools::tool, module)?)
}
