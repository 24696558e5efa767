pub fn run(_: &[String]) -> crate::shell::Result {
    Err("not written".into())
}
