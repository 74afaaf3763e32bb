//! Looking inside: `explain` and the folder of dumped kernels.

use crate::process::elsewhere;
use fastnp::settings::{self, SettingValue};
use fastnp::{Array, DType, Op, Reduction, apply, explain, flush};

#[test]
fn explains_and_dumps() -> fastnp::Result<()> {
    if elsewhere("inspection::explains_and_dumps") {
        return Ok(());
    }
    assert!(explain().starts_with("nothing is pending, and nothing was"));
    let folder = std::env::temp_dir().join(format!("fastnp-dump-{}", std::process::id()));
    assert!(settings::set("dump", folder.to_string_lossy().into_owned()).unwrap());
    assert!(!settings::set("dump", 1).unwrap());

    let n = 100_000;
    let x = Array::ones(&[n], DType::F64);
    flush()?;
    assert!(explain().starts_with("nothing is pending; the last flush: 1 nodes over 1 storages\n"));

    let y = &apply(Op::Exp, &[(&x).into()])? + 1.0;
    let sum = y.reduce(Reduction::Sum, None, None, false)?;
    let pending = explain();
    assert!(pending.starts_with("pending: 3 nodes over 4 storages\n\nkernel 0 over [100000], folding axes [0]\n"));
    assert!(pending.contains("%1@1:f64 = exp(%0@0:f64) in f64"), "{pending}");
    assert!(pending.contains("= sum("), "{pending}");
    // Looking runs nothing, and the second look says the same.
    assert_eq!(explain(), pending);

    sum.item()?;
    let last = explain();
    assert_eq!(last.split_once("pending: "), None);
    assert_eq!(
        last.trim_start_matches("nothing is pending; the last flush: "),
        pending.trim_start_matches("pending: ")
    );

    // A second flush replaces the first.
    let z = &y * 2.0;
    drop(y);
    z.evaluate()?;
    let last = explain();
    assert!(last.contains("1 nodes over 2 storages"), "{last}");
    assert!(last.contains("%1 takes over the memory of %0"), "{last}");

    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("the folder was made")
        .map(|entry| entry.expect("it can be listed").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names.len(), 6, "the IR and the listing of three kernels: {names:?}");
    assert!(names[2].starts_with("0002-reduce-") && names[2].ends_with(".ir"), "{names:?}");
    let text = std::fs::read_to_string(folder.join(&names[2])).expect("it can be read");
    assert!(text.starts_with("kernel reduce(outer 0, inner 1) {"), "{text}");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
    assert!(settings::set("dump", "").unwrap());
    assert_eq!(settings::get("dump"), Some(SettingValue::Text("".into())));
    Ok(())
}
