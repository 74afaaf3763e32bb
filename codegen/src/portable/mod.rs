//! stub
use crate::*; use std::sync::Arc;
/// stub
pub struct Portable;
impl Backend for Portable { fn name(&self)->&'static str {"portable"} fn compile(&self,_:&Verified<Kernel>)->Result<Arc<dyn Program>,CompileError>{ Err(CompileError{reason:"stub".into(),kernel:String::new()}) } }
