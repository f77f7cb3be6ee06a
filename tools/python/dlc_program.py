"""Programs of a launch manifest: kernels in their order, with buffers that share memory. `dlc_launch` loads them."""
import base64
import math

from dlc_launch import Expr, LaunchError, _address, _Buffer, _check_tensor, _Lru, _solve, _type


class Program:
    """Kernels in their order, with buffers that share memory. Call it with its inputs.

    Memory between the kernels belongs to the program and the sizes: run it on one stream at a time.
    """

    def __init__(self, module, spec):
        self.module, self.cuda, self.name, self.spec = module, module.cuda, spec["name"], spec
        self.symbols = list(spec.get("symbols", ()))
        self.inputs = [_Buffer(b) for b in spec["inputs"]]
        self.outputs = [_Buffer(o, "output") for o in spec["outputs"]]
        self.results = list(spec.get("results") or [o.name for o in self.outputs])
        self.arena, self.pool = Expr(spec.get("arena") or 0), spec.get("pool") or 0
        self.steps = [self._read_step(s) for s in spec["steps"]]
        self._constants = None
        self._plans = _Lru(16)

    def _read_step(self, spec):
        if "launch" in spec:
            choices = [
                (c["kernel"], {k: Expr(v) for k, v in c["sizes"].items()}, _Cost.of(c.get("cost")),
                 [Expr(g, guard=True) for g in c.get("where", ())])
                for c in spec["launch"]]
            outputs = [(_Buffer(o), None if o.get("offset") is None else Expr(o["offset"])) for o in spec["outputs"]]
            return dict(kind="launch", choices=choices, inputs=spec["inputs"], outputs=outputs)
        if "view" in spec:
            part = None
            if "from" in spec:
                part = Expr(spec["from"]), spec.get("layout")
            return dict(kind="view", name=spec["view"], of=spec["of"], shape=[Expr(s) for s in spec["shape"]], part=part)
        if "const" in spec:
            return dict(kind="const", name=spec["const"], buffer=_Buffer(dict(spec, name=spec["const"])),
                        offset=spec["offset"], data=base64.b64decode(spec["base64"]))
        raise LaunchError(f"{self.name}: a step with {', '.join(spec)} is not known")

    def _make_pool(self):
        """The constants, on the device, once."""
        if self._constants is None:
            torch, data = self.cuda.torch, bytearray(max(1, self.pool))
            for step in self.steps:
                if step["kind"] == "const":
                    end = step["offset"] + len(step["data"])
                    if end > self.pool:
                        raise LaunchError(f"{self.name}: {step['name']} ends at byte {end} of a pool of {self.pool}")
                    data[step["offset"] : end] = step["data"]
            self._constants = torch.frombuffer(data, dtype=torch.uint8).cuda()
        return self._constants

    def _plan_for(self, inputs, sizes):
        if len(inputs) != len(self.inputs):
            raise LaunchError(f"{self.name} has {len(self.inputs)} inputs, {len(inputs)} were passed")
        key = (tuple((tuple(t.shape), t.stride()) for t in inputs), tuple(sorted(sizes.items())) if sizes else ())
        plan = self._plans.find(key, lambda: _ProgramPlan(self, inputs, sizes))
        for buffer, tensor in zip(self.inputs, inputs):
            _check_tensor(self.cuda.torch, buffer, tensor, self.name, plan.sizes)
        return plan

    def __call__(self, *inputs, sizes=None):
        """Runs the program on the current stream. Gives its result, or a list of them if there are several."""
        plan = self._plan_for(inputs, sizes)
        results = plan.run(inputs, plan.make_own())
        return results[0] if len(results) == 1 else results

    def prepare(self, *inputs, out=None, sizes=None):
        """The program with these tensors: `run()` runs it, `run.outputs` are its results. New ones unless `out` has
        them, which only results that the program makes can be."""
        plan = self._plan_for(inputs, sizes)
        own = plan.make_own()
        for name, tensor in zip(self.results, out or ()):
            place, _, buffer, shape = plan.buffers[name]
            if place[0] != "own" or list(tensor.shape) != shape:
                raise LaunchError(f"{self.name}: {name} is {shape} and cannot be a tensor of {list(tensor.shape)}")
            _check_tensor(self.cuda.torch, buffer, tensor, self.name, plan.sizes)
            own[place[1]] = tensor
        return _PreparedProgram(plan, inputs, own)


class _Cost:
    """How long a kernel takes by an estimate: see docs/manifest.md."""

    @staticmethod
    def of(spec):
        return spec and _Cost(spec)

    def __init__(self, spec):
        self.exprs = [Expr(spec[key]) for key in ("tiles", "steps", "bytes")]
        self.rates = [spec[key] for key in ("launch", "tile", "step", "wait", "gbps", "sms", "blocks")]

    def nanoseconds(self, sizes):
        (tiles, steps, moved), (launch, tile, step, wait, gbps, sms, blocks) = [e(sizes) for e in self.exprs], self.rates
        if not tiles:
            return launch
        rounds, waves = -(-tiles // sms), -(-tiles // (sms * blocks))
        # Half of the SMs are enough to fill the memory.
        memory = max(moved // gbps, moved * sms // (2 * gbps * tiles))
        return launch + tile * rounds + max(step * rounds * steps, wait * waves * steps, memory)


class _PreparedProgram:
    """A program with its tensors, which it keeps alive."""

    def __init__(self, plan, inputs, own):
        self._plan, self.inputs, self._own = plan, inputs, own
        self.outputs = plan.results(inputs, own)
        self._copied = any(plan.buffers[n][0][0] in ("arena", "pool") for n in plan.program.results)

    def __call__(self):
        self._plan.launch(self.inputs, self._own)
        if self._copied:
            self.outputs = self._plan.results(self.inputs, self._own)
        return self.outputs


class _ProgramPlan:
    """A program for one set of sizes: which kernels run, and where buffers lie."""

    def __init__(self, program, inputs, known):
        self.program, self.cuda = program, program.cuda
        tensors = [(tuple(t.shape), tuple(t.stride()), f"input {i}") for i, t in enumerate(inputs)]
        sizes = self.sizes = _solve(program.inputs, tensors, known, program.name)
        torch = self.cuda.torch
        # A buffer is (where it lies, offset, buffer, shape); where is ("input", i), "pool", "arena" or ("own", i).
        self.buffers, self.own, self.calls = {}, [], []
        for i, (buffer, tensor) in enumerate(zip(program.inputs, inputs)):
            self.buffers[buffer.name] = (("input", i), 0, buffer, [int(s) for s in tensor.shape])
        self.arena_bytes = program.arena(sizes)
        roots, last, spans = {}, {}, []
        for at, step in enumerate(program.steps):
            if step["kind"] == "const":
                self._add(step["name"], ("pool",), step["offset"], step["buffer"], [e({}) for e in step["buffer"].shape])
            elif step["kind"] == "view":
                place, offset, buffer, shape = self._get(step["of"])
                view = [e(sizes) for e in step["shape"]]
                if step["part"]:
                    begin, layout = step["part"]
                    start, seen = begin(sizes), buffer.as_view(layout)
                    end = start + seen.extent(view, sizes)
                    if not 0 <= start or math.prod(view) and end > math.prod(shape):
                        raise LaunchError(f"{program.name}: {step['name']} sees the elements {start} to {end} of {shape}")
                    offset += start * _type(buffer.type)[1]
                else:
                    seen = buffer.as_view()
                    if math.prod(view) != math.prod(shape):
                        raise LaunchError(f"{program.name}: {step['name']} sees {shape} as {view}")
                self._add(step["name"], place, offset, seen, view)
                roots[step["name"]] = roots.get(step["of"], step["of"])
            else:
                self._launch(at, step, sizes, spans)
                for name in step["inputs"]:
                    last[roots.get(name, name)] = at
        for name in program.results:
            last[roots.get(name, name)] = len(program.steps)
            self._get(name)
        self._check_places(spans, last)
        device = inputs[0].device if inputs else "cuda"
        self.device = device
        self.arena = torch.empty(max(1, self.arena_bytes), dtype=torch.uint8, device=device)
        self.scratch = [k._empty(p, k.scratch, device) for k, p, _ in self.calls]
        self._bound = _Lru(64)

    def _add(self, name, place, offset, buffer, shape):
        if name in self.buffers:
            raise LaunchError(f"{self.program.name}: there are two buffers '{name}'")
        self.buffers[name] = (place, offset, buffer, shape)

    def _get(self, name):
        if name not in self.buffers:
            raise LaunchError(f"{self.program.name}: there is no buffer '{name}' here")
        return self.buffers[name]

    def _launch(self, at, step, sizes, spans):
        program = self.program
        best = None
        for name, bound, cost, where in step["choices"]:
            if cost is None and best:
                break
            if all(guard(sizes) for guard in where):
                # Of kernels after each other that have a cost the first with the least is taken.
                nanoseconds = cost.nanoseconds(sizes) if cost else 0
                if best is None or nanoseconds < best[0]:
                    best = nanoseconds, name, bound
                if cost is None:
                    break
        if best is None:
            raise LaunchError(f"{program.name}: no kernel is for these sizes: "
                              + ", ".join(f"{k} = {v}" for k, v in sizes.items()))
        _, name, bound = best
        kernel = program.module.kernels.get(name)
        if not kernel:
            raise LaunchError(f"{program.name} launches '{name}', which the manifest does not have")
        plan = kernel.plan({k: e(sizes) for k, e in bound.items()})
        for buffer, offset in step["outputs"]:
            shape = [e(sizes) for e in buffer.shape]
            if offset is None:
                self._add(buffer.name, ("own", len(self.own)), 0, buffer, shape)
                self.own.append((buffer, shape))
            else:
                start = offset(sizes)
                end = start + buffer.extent(shape, sizes) * _type(buffer.type)[1]
                if not 0 <= start <= end <= self.arena_bytes:
                    raise LaunchError(f"{program.name}: {buffer.name} has the bytes {start} to {end} of an arena of "
                                      f"{self.arena_bytes}")
                self._add(buffer.name, ("arena",), start, buffer, shape)
                spans.append((at, start, end, buffer.name))
        names = [*step["inputs"], *(b.name for b, _ in step["outputs"])]
        wanted = [*kernel.inputs, *kernel.outputs]
        if len(names) != len(wanted):
            raise LaunchError(f"{program.name}: {name} has {len(wanted)} buffers, and {len(names)} are passed")
        for passed, want in zip(names, wanted):
            _, _, buffer, shape = self._get(passed)
            if shape != plan.shapes[want.name] or buffer.type != want.type:
                raise LaunchError(f"{program.name}: {passed} is {shape} {buffer.type}, and {name} wants "
                                  f"{plan.shapes[want.name]} {want.type}")
            has, wants = buffer.placed(shape, sizes), want.placed(shape, plan.values)
            if has != wants and math.prod(shape):
                raise LaunchError(f"{program.name}: {passed} has the strides and offset {has}, and {name} wants {wants}")
        self.calls.append((kernel, plan, list(zip(wanted, names))))

    def _check_places(self, spans, last):
        """Buffers that are needed at once lie apart."""
        for i, (born, start, end, name) in enumerate(spans):
            for at, other, stop, new in spans[i + 1 :]:
                if at <= max(last.get(name, born), born) and other < end and start < stop:
                    raise LaunchError(f"{self.program.name}: for these sizes {new} has the bytes {other} to {stop}, and "
                                      f"{start} to {end} of {name} are still needed")

    def _address(self, name, inputs, own):
        place, offset, _, _ = self.buffers[name]
        if place[0] == "arena":
            return self.arena.data_ptr() + offset
        if place[0] == "pool":
            return self.program._make_pool().data_ptr() + offset
        tensor, buffer = self._tensor(place, inputs, own)
        return _address(buffer, tensor, self.sizes) + offset

    def _tensor(self, place, inputs, own):
        """The tensor of an input or of a result that is no part of the arena, and the buffer that it is."""
        kind, number = place
        if kind == "input":
            return inputs[number], self.program.inputs[number]
        return own[number], self.own[number][0]

    def _bind(self, inputs, own):
        made = []
        for (kernel, plan, names), scratch in zip(self.calls, self.scratch):
            addresses = {want.name: self._address(name, inputs, own) for want, name in names}
            for want, name in names:
                if addresses[want.name] % want.align:
                    raise LaunchError(f"{self.program.name}: {name} begins at {addresses[want.name]:#x}, and "
                                      f"{kernel.name} wants a multiple of {want.align}")
            addresses.update((b.name, t.data_ptr()) for b, t in zip(kernel.scratch, scratch))
            made.append((kernel.zeroed(scratch), plan.bind(addresses)))
        return made

    def make_own(self):
        """New tensors for what is not in the arena."""
        torch = self.cuda.torch
        return [b.empty(torch, shape, self.sizes, self.device) for b, shape in self.own]

    def launch(self, inputs, own):
        stream = self.cuda.stream()
        key = tuple(t.data_ptr() for t in (*inputs, *own))
        for zeroed, launches in self._bound.find(key, lambda: self._bind(inputs, own)):
            for tensor in zeroed:
                tensor.zero_()
            for launch in launches:
                launch(stream)

    def results(self, inputs, own):
        return [self._result(name, inputs, own) for name in self.program.results]

    def run(self, inputs, own):
        self.launch(inputs, own)
        return self.results(inputs, own)

    def _result(self, name, inputs, own):
        place, offset, buffer, shape = self.buffers[name]
        if place[0] in ("input", "own"):
            tensor, whole = self._tensor(place, inputs, own)
            if buffer is whole:
                return tensor
            # A view is of memory without gaps.
            strides, start = buffer.placed(shape, self.sizes)
            return tensor.as_strided(shape, strides, tensor.storage_offset() + start + offset // _type(buffer.type)[1])
        # What lies in memory of the program is copied: the next run writes over it.
        torch = self.cuda.torch
        if buffer.strides is not None:
            raise LaunchError(f"{self.program.name}: {name} has strides, and a result with strides has memory of its own")
        memory = self.arena if place[0] == "arena" else self.program._make_pool()
        size = math.prod(shape) * _type(buffer.type)[1]
        return memory[offset : offset + size].clone().view(buffer.dtypes(torch)[0]).view(shape)
