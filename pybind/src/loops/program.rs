//! The class of compiled loops: a program of the scalar IR with what its values must be.

use crate::interpreter::interpreter_lock;
use crate::loops::parameter::{Exports, Parameter, Words};
use crate::loops::results::{self, WordType};
use fastnp_scalar::Program;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The code that a program returned, and the words of the frame after the parameters'.
type Returned<'py> = (u32, Bound<'py, PyList>);

/// A compiled loop. Private to the Python package, which writes the text: a wrong one may do anything to memory.
#[pyclass(module = "fastnp._fastnp", frozen)]
pub(crate) struct LoopProgram {
    program: Program,
    parameters: Vec<Parameter>,
    /// Words of the frame that the parameters take.
    parameter_words: usize,
    /// What the words after those become, for each code that the program may return.
    results: HashMap<u32, Vec<WordType>>,
    /// Pairs of parameters, arrays, whose memory must not overlap.
    apart: Vec<(usize, usize)>,
}

#[pymethods]
impl LoopProgram {
    /// Compiles a text for values of the parameters, of which pairs must not overlap in memory. `ValueError` says the line of a text that is
    /// wrong.
    #[new]
    #[pyo3(signature = (text, parameters, results = None, apart = Vec::new()))]
    fn new(
        text: &str,
        parameters: &Bound<'_, PyAny>,
        results: Option<&Bound<'_, PyDict>>,
        apart: Vec<(usize, usize)>,
    ) -> PyResult<LoopProgram> {
        let wrong = |what: &str| PyValueError::new_err(format!("{what:?} is no type of a compiled loop"));
        let texts: Vec<String> = match parameters.extract::<&str>() {
            Ok(line) => line.split_ascii_whitespace().map(str::to_owned).collect(),
            Err(_) => parameters.extract()?,
        };
        let parameters: Vec<Parameter> =
            texts.iter().map(|text| Parameter::parse(text).ok_or_else(|| wrong(text))).collect::<PyResult<_>>()?;
        let mut by_code = HashMap::new();
        for (code, types) in results.into_iter().flatten() {
            let types: &str = &types.extract::<String>()?;
            by_code.insert(code.extract()?, results::parse(types).ok_or_else(|| wrong(types))?);
        }
        let program = fastnp_scalar::compile(text).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let parameter_words = parameters.iter().map(Parameter::words).sum();
        if apart.iter().any(|&(a, b)| a.max(b) >= parameters.len()) {
            return Err(PyValueError::new_err("a pair of parameters that there are not"));
        }
        Ok(LoopProgram { program, parameters, parameter_words, results: by_code, apart })
    }

    /// Runs on a value for each parameter: the code that the program returned, and the words of the frame after the parameters'. `None` if a
    /// value is not what it must be; then nothing has run.
    fn run<'py>(&self, values: &Bound<'py, PyTuple>) -> PyResult<Option<Returned<'py>>> {
        let py = values.py();
        let Some((mut words, exports)) = self.frame(values)? else { return Ok(None) };
        // SAFETY: the package's text is right about memory, given values that are what they must be: the tuple keeps NumPy's arrays alive,
        // and the exports keep the memory of ours where it is.
        let code = unsafe { self.program.run(&mut words) };
        drop(exports);
        Ok(Some((code, self.objects(py, code, &words)?)))
    }

    /// Runs on parts of a range at once: the value numbered `range` is cut into so many tasks, which run on several threads without the GIL.
    /// What each task returned, as from `run`; `None` for those that did not begin, because another had returned a code that is not in
    /// `done`. `None` in all if a value is not what it must be; then nothing has run.
    ///
    /// The tasks may run in any order. What they store to must differ, or may be the last of any.
    fn run_tasks<'py>(
        &self,
        values: &Bound<'py, PyTuple>,
        range: usize,
        tasks: usize,
        done: HashSet<u32>,
    ) -> PyResult<Option<Vec<Option<Returned<'py>>>>> {
        let py = values.py();
        if !matches!(self.parameters.get(range), Some(Parameter::Range)) {
            return Err(PyValueError::new_err(format!("parameter {range} is no range")));
        }
        let Some((words, exports)) = self.frame(values)? else { return Ok(None) };
        let at: usize = self.parameters[..range].iter().map(Parameter::words).sum();
        let frames: Vec<Mutex<(Words, Option<u32>)>> = (0..tasks)
            .map(|task| {
                let mut words = words.clone();
                cut(&mut words[at..at + 3], task, tasks);
                Mutex::new((words, None))
            })
            .collect();
        let is_over = AtomicBool::new(false);
        fastnp::run_tasks(tasks, &|task| {
            if is_over.load(Ordering::Relaxed) {
                return;
            }
            let mut frame = frames[task].lock().expect("each task runs once");
            // SAFETY: as in `run`; each task has a frame of its own, and only reads the program.
            let code = unsafe { self.program.run(&mut frame.0) };
            frame.1 = Some(code);
            if !done.contains(&code) {
                is_over.store(true, Ordering::Relaxed);
            }
        });
        drop(exports);
        let returned = frames.into_iter().map(|frame| {
            let (words, code) = frame.into_inner().expect("no task panics");
            code.map(|code| Ok((code, self.objects(py, code, &words)?))).transpose()
        });
        Ok(Some(returned.collect::<PyResult<_>>()?))
    }

    /// Bytes of machine code.
    #[getter]
    fn code_bytes(&self) -> usize {
        self.program.code_bytes()
    }
}

impl LoopProgram {
    /// The frame for values, and what keeps the memory of arrays of ours in its place; `None` if a value is not what it must be.
    fn frame(&self, values: &Bound<'_, PyTuple>) -> PyResult<Option<(Words, Exports)>> {
        if values.len() != self.parameters.len() {
            let (found, due) = (values.len(), self.parameters.len());
            return Err(PyValueError::new_err(format!("{found} values for {due} parameters")));
        }
        let (mut words, mut exports) = (Words::new(), Exports::new());
        for (parameter, value) in self.parameters.iter().zip(values.iter_borrowed()) {
            if !parameter.push(&value, &mut words, &mut exports)? {
                return Ok(None);
            }
        }
        if self.apart.iter().any(|&(a, b)| self.overlap(&words, a, b)) {
            return Ok(None);
        }
        words.resize(self.program.frame_words().max(self.parameter_words), 0);
        Ok(Some((words, exports)))
    }

    /// What the words of a frame after the parameters' mean, after a code was returned.
    fn objects<'py>(&self, py: Python<'py>, code: u32, words: &[u64]) -> PyResult<Bound<'py, PyList>> {
        let rest = &words[self.parameter_words..];
        match self.results.get(&code) {
            Some(types) => results::objects(py, types, rest),
            None => results::integers(py, rest),
        }
    }

    /// Whether the memory from the first to the last element of two parameters overlaps, by their words of the frame.
    fn overlap(&self, words: &[u64], a: usize, b: usize) -> bool {
        let range = |which: usize| {
            let first: usize = self.parameters[..which].iter().map(Parameter::words).sum();
            self.parameters[which].memory(&words[first..])
        };
        let (a, b) = (range(a), range(b));
        a.start < b.end && b.start < a.end
    }
}

/// `loop_listing(text)`: what compiling makes of a text: Cranelift's representation, and assembly.
#[pyfunction]
fn loop_listing(text: &str) -> PyResult<(String, String)> {
    match fastnp_scalar::listing(text) {
        Ok(listing) => Ok((listing.clif, listing.assembly)),
        Err(error) => Err(PyValueError::new_err(error.to_string())),
    }
}

/// `take_attribute(object, name)`: the value of an attribute, which is None afterwards.
#[pyfunction]
fn take_attribute<'py>(object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    let value = object.getattr(name)?;
    object.setattr(name, object.py().None())?;
    Ok(value)
}

/// Adds the class, and has compiled loops ask Python whether to leave.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    fastnp_scalar::set_poll(interpreter_lock::yield_to_threads);
    module.add_class::<LoopProgram>()?;
    module.add_function(wrap_pyfunction!(take_attribute, module)?)?;
    module.add_function(wrap_pyfunction!(loop_listing, module)?)?;
    Ok(())
}

/// Makes a range (start, stop, step) its part numbered `task` of `tasks` parts of about the same length.
fn cut(range: &mut [u64], task: usize, tasks: usize) {
    let [start, stop, step] = [0, 1, 2].map(|i| i128::from(range[i].cast_signed()));
    let (span, stride) = if step > 0 { (stop - start, step) } else { (start - stop, -step) };
    let turns = ((span + stride - 1) / stride).max(0);
    let bound = |task: usize| start + turns * task as i128 / tasks as i128 * step;
    // Both lie between the range's own bounds, but for the last, which is no further from the start than its stop.
    let end = if task + 1 == tasks { stop } else { bound(task + 1) };
    (range[0], range[1]) = ((bound(task) as i64).cast_unsigned(), (end as i64).cast_unsigned());
}
