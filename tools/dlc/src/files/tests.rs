//! Arrays there and back again, and files that are broken.

use std::path::Path;

use dlc_ir::random::Random;

use super::*;

fn int(bits: u32, signed: bool) -> Elem {
    Elem::Int { bits, signed }
}

fn all_elems() -> Vec<Elem> {
    let ints = [8, 16, 32, 64].into_iter().flat_map(|bits| [int(bits, true), int(bits, false)]);
    let floats = FloatKind::ALL.into_iter().filter(|kind| kind.bits() % 8 == 0).map(Elem::Float);
    std::iter::once(Elem::Bool).chain(ints).chain(floats).collect()
}

/// An array whose bytes all differ from their neighbours.
fn array(shape: &[usize], elem: Elem) -> Array {
    let len = shape.iter().product::<usize>() * elem.size();
    let byte = |at: usize| if elem == Elem::Bool { (at % 2) as u8 } else { (at * 37 + 1) as u8 };
    Array { shape: shape.to_vec(), elem, bytes: (0..len).map(byte).collect() }
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).to_string_lossy().into_owned()
}

/// Opens a file and reads everything in it.
fn read_all(name: &str) -> Result<Vec<(String, Array)>, String> {
    let mut source = Source::open(name)?;
    let names = source.names().unwrap_or_else(|| vec!["only".into()]);
    names.into_iter().map(|name| Ok((name.clone(), source.get(&name, 1 << 20)?))).collect()
}

fn read_npy(bytes: &[u8]) -> Result<Array, String> {
    npy::read(bytes, bytes.len() as u64, 1 << 40)
}

/// Every type and every kind of shape, in every format.
#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for elem in all_elems() {
        let arrays = [("b", &[2, 3, 2][..]), ("a", &[]), ("empty", &[0, 4]), ("d/e f.g", &[5])];
        let arrays = arrays.map(|(name, shape)| (name.to_string(), array(shape, elem)));
        for file in ["all.npz", "all.safetensors"] {
            write(&path(&folder, file), &arrays).expect(file);
            let mut read = read_all(&path(&folder, file)).expect(file);
            assert_eq!(read.len(), arrays.len());
            for (name, written) in &arrays {
                let place = read.iter().position(|(other, _)| other == name).expect(name);
                let (_, read) = read.swap_remove(place);
                assert!(read.elem.is_read_as(elem), "{} {}", read.elem.name(), elem.name());
                assert_eq!((&read.shape, &read.bytes), (&written.shape, &written.bytes), "{file} {name}");
            }
        }
        for pair in arrays {
            write(&path(&folder, "one.npy"), std::slice::from_ref(&pair)).expect("one");
            let read = read_all(&path(&folder, "one.npy")).expect("one").swap_remove(0).1;
            assert_eq!((read.shape, read.bytes), (pair.1.shape, pair.1.bytes));
        }
    }
}

#[test]
fn safetensors_has_a_type_for_every_element() {
    let folder = tempfile::tempdir().expect("a folder");
    for elem in all_elems() {
        write(&path(&folder, "a.safetensors"), &[("a".into(), array(&[3], elem))]).expect("all are known");
        assert_eq!(read_all(&path(&folder, "a.safetensors")).expect("one")[0].1.elem, elem);
    }
}

#[test]
fn only_bits_stand_for_other_types() {
    let (bf16, f8, f16) = (Elem::Float(FloatKind::BF16), Elem::Float(FloatKind::F8E5M2), Elem::Float(FloatKind::F16));
    assert!(int(16, false).is_read_as(bf16) && Elem::Raw(2).is_read_as(bf16) && bf16.is_read_as(bf16));
    assert!(int(8, false).is_read_as(f8) && Elem::Raw(1).is_read_as(f8));
    for (from, to) in [(int(16, true), bf16), (int(16, false), f16), (Elem::Raw(2), f16), (Elem::Raw(2), f8)] {
        assert!(!from.is_read_as(to), "{} {}", from.name(), to.name());
    }
    assert!(!int(8, false).is_read_as(Elem::Bool) && !f16.is_read_as(bf16) && !bf16.is_read_as(int(16, false)));
}

#[test]
fn numbers_come_from_bits() {
    let numbers = |elem: Elem, bytes: &[u8]| Array { shape: vec![], elem, bytes: bytes.to_vec() }.numbers(elem);
    assert_eq!(numbers(int(8, true), &[0xff, 0x7f]), Numbers::Int(vec![-1, 127]));
    assert_eq!(numbers(int(8, false), &[0xff, 0x7f]), Numbers::Int(vec![255, 127]));
    assert_eq!(numbers(int(16, true), &[0, 0x80]), Numbers::Int(vec![-32768]));
    assert_eq!(numbers(int(64, false), &[0xff; 8]), Numbers::Int(vec![-1]));
    assert_eq!(numbers(Elem::Bool, &[0, 1, 2]), Numbers::Int(vec![0, 1, 1]));
    assert_eq!(numbers(Elem::Float(FloatKind::BF16), &[0x80, 0x3f, 0, 0xbf]), Numbers::Float(vec![1.0, -0.5]));
    assert_eq!(numbers(Elem::Float(FloatKind::F64), &1e300f64.to_le_bytes()), Numbers::Float(vec![1e300]));
}

/// The order of numpy, for more axes than two.
#[test]
fn the_first_axis_may_be_the_fastest() {
    let header = |order: &str| format!("{{'descr': '<u2', 'fortran_order': {order}, 'shape': (2, 3, 2), }}\n");
    let file = |order: &str, values: [u16; 12]| {
        let header = header(order);
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    };
    let plain = file("False", [0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121]);
    let fortran = file("True", [0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121]);
    assert_eq!(read_npy(&plain[..]).expect("plain"), read_npy(&fortran[..]).expect("fortran"));
}

fn header(version: u8, text: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((text.len() as u16).to_le_bytes()),
        _ => bytes.extend((text.len() as u32).to_le_bytes()),
    }
    bytes.extend(text.bytes());
    bytes
}

#[test]
fn headers_of_every_version_are_read() {
    for version in [1, 2, 3] {
        let mut bytes = header(version, "{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }\n");
        bytes.push(7);
        let read = read_npy(&bytes[..]).expect("a header");
        assert_eq!((read.shape, read.bytes), (vec![1], vec![7]));
    }
}

#[test]
fn wrong_headers_are_refused() {
    let says = |version: u8, text: &str| read_npy(&header(version, text)[..]).expect_err("it is wrong");
    let array = |descr: &str, shape: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    let huge = 1u64 << 40;
    assert!(says(1, &array("'<f4'", &format!("({huge}, {huge})"))).contains("larger than any memory"));
    assert!(says(1, &array("'<f4'", &format!("({huge}, {huge}, 0)"))).contains("larger than any memory"));
    assert!(says(1, &array("'<f4'", "(4000000000,)")).contains("ends after 0 of the 16000000000 bytes"));
    assert!(says(1, &array("'<f4'", "(-1,)")).contains("not"), "{}", says(1, &array("'<f4'", "(-1,)")));
    assert!(says(1, &array("'|O'", "(1,)")).contains("Python objects"));
    assert!(says(1, &array("[('a', '<f4')]", "(1,)")).contains("structures"));
    assert!(says(1, &array("'<c8'", "(1,)")).contains("'<c8'"));
    assert!(says(1, &array("'|V3'", "(1,)")).contains("'|V3'"));
    assert!(says(1, &"(".repeat(9_000)).contains("could not parse"));
    assert!(says(2, &" ".repeat(20_000)).contains("more than the 10000"));
    assert!(says(9, "{}").contains("version"));
    for text in ["", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<', 'fortran_order': 0, 'shape': 1}", "\u{fffd}"] {
        says(1, text);
    }
}

/// A file cut anywhere, or with a byte changed, is an error or another array, and never a panic.
#[test]
fn broken_files_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let arrays = [("x".to_string(), array(&[2, 3], int(16, true)))];
    for file in ["a.npy", "a.npz", "a.safetensors"] {
        let name = path(&folder, file);
        write(&name, &arrays).expect(file);
        let whole = std::fs::read(&name).expect(file);
        for end in 0..whole.len() {
            std::fs::write(&name, &whole[..end]).expect(file);
            assert!(read_all(&name).is_err(), "{file} {end}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x21;
            std::fs::write(&name, &changed).expect(file);
            let _ = read_all(&name);
        }
    }
}

#[test]
fn names_say_the_format() {
    assert!(Format::of("a.b/c").is_err() && Format::of("npy").is_err() && Format::of("a.NPY").is_err());
    assert_eq!(Format::of("a.npz.npy"), Ok(Format::Npy));
    assert!(Source::open("no such.npy").expect_err("it is not there").starts_with("'no such.npy' cannot be read: "));
    assert!(write("/no/such/folder/a.npy", &[("a".into(), array(&[1], Elem::Bool))]).is_err());
    assert!(write("a.npy", &[]).expect_err("nothing").contains("takes one output"));
    assert!(!Path::new("a.npy").exists());
}

/// What claims more than it may have is refused, and nothing of it is inflated.
#[test]
fn arrays_have_a_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let arrays = [("x".to_string(), array(&[1000], int(16, true)))];
    for file in ["a.npy", "a.npz", "a.safetensors"] {
        let name = path(&folder, file);
        write(&name, &arrays).expect(file);
        let mut source = Source::open(&name).expect(file);
        let message = source.get("x", 1999).expect_err("it is too large");
        assert!(message.contains("claims to have 2000 bytes, more than 1999; --max-bytes=2000"), "{message}");
        assert_eq!(source.get("x", 2000).expect("it is not too large"), arrays[0].1, "{file}");
    }
    assert_eq!((usual_limit(Some(10)), usual_limit(None)), (80 + (1 << 16), 1 << 30));
    assert_eq!(usual_limit(Some(u64::MAX)), u64::MAX);
}

fn safetensors(header: &str, len: u64, data: usize) -> Vec<u8> {
    let mut bytes = len.to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend(std::iter::repeat_n(0, data));
    bytes
}

#[test]
fn headers_of_safetensors_are_not_trusted() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = path(&folder, "a.safetensors");
    let says = |bytes: &[u8]| {
        std::fs::write(&name, bytes).expect("it is written");
        read_all(&name).expect_err("it is wrong")
    };
    let one = |shape: &str, end: &str| format!(r#"{{"a":{{"dtype":"F32","shape":{shape},"data_offsets":[0,{end}]}}}}"#);
    let whole = |header: &str, data: usize| safetensors(header, header.len() as u64, data);
    assert!(says(&safetensors("{}", u64::MAX, 0)).contains("its header has 18446744073709551615 bytes"));
    assert!(says(&safetensors("{}", 1 << 40, 0)).contains("and the file 10"));
    assert!(says(b"1234567").contains("does not begin"));
    assert!(says(&whole(&one("[1]", "4"), 3)).contains("arrays have 4 bytes, and there are 3"));
    assert!(says(&whole(&one("[1]", "4"), 5)).contains("arrays have 4 bytes, and there are 5"));
    for shape in ["[4294967296,4294967296]", "[18446744073709551615]", "[-1]", "[2]", "[9223372036854775808,2,0]"] {
        says(&whole(&one(shape, "4"), 4));
    }
    says(&whole(&one("[4]", "18446744073709551615"), 4));
    let twice =
        r#"{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#;
    assert!(says(&whole(twice, 0)).contains("two arrays of one name, 'a'"));
}

#[test]
fn an_archive_with_a_name_twice_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = path(&folder, "a.npz");
    let arrays = ["x", "y"].map(|name| (name.to_string(), array(&[2], int(8, true))));
    write(&name, &arrays).expect("it is written");
    let mut bytes = std::fs::read(&name).expect("it is there");
    for at in 0..bytes.len() - 5 {
        if bytes[at..].starts_with(b"y.npy") {
            bytes[at] = b'x';
        }
    }
    std::fs::write(&name, bytes).expect("it is written");
    assert!(read_all(&name).expect_err("it is wrong").contains("two arrays of one name"));
}

/// A pipe is not waited for.
#[test]
fn what_is_no_plain_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["a.npy", "a.npz", "a.safetensors"] {
        let name = path(&folder, file);
        let made = std::process::Command::new("mkfifo").arg(&name).status().expect("mkfifo is there");
        assert!(made.success());
        assert!(Source::open(&name).expect_err("it is a pipe").contains("no plain file"));
    }
}

/// Files of which bytes are changed, left out, doubled or put in, by a seed: none of them ends the process.
#[test]
fn mutated_files_are_arrays_or_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    let arrays = [("x".to_string(), array(&[2, 3], int(16, true))), ("y".to_string(), array(&[4], Elem::Bool))];
    let mut random = Random::new(1);
    let mut next = |below: usize| random.below(below);
    for file in ["a.npy", "a.npz", "a.safetensors"] {
        let name = path(&folder, file);
        let count = if file == "a.npy" { 1 } else { 2 };
        write(&name, &arrays[..count]).expect(file);
        let whole = std::fs::read(&name).expect(file);
        for _ in 0..300 {
            let mut bytes = whole.clone();
            for _ in 0..1 + next(4) {
                let at = next(bytes.len());
                let end = (at + 1 + next(8)).min(bytes.len());
                match next(5) {
                    0 => bytes[at] = next(256) as u8,
                    1 => bytes[at..end].fill([0, 0x7f, 0xff][next(3)]),
                    2 if bytes.len() > 16 => drop(bytes.drain(at..end)),
                    3 => drop(bytes.splice(at..at, b"99999999999999999999".iter().copied().take(1 + next(20)))),
                    _ => {
                        let piece = bytes[at..end].to_vec();
                        drop(bytes.splice(at..at, piece));
                    }
                }
            }
            std::fs::write(&name, &bytes).expect(file);
            for (_, array) in read_all(&name).unwrap_or_default() {
                assert_eq!(array.bytes.len(), array.shape.iter().product::<usize>() * array.elem.size());
            }
        }
    }
}
