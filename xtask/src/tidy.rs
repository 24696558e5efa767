pub fn run() -> crate::shell::Result { Err("not written".into()) }
