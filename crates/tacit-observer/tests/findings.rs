//! Findings of checkers in their output.

mod findings {
    mod compilers;
    mod linters;
    mod nothing;
    mod properties;
    mod runners;
    mod usage;

    use tacit_observer::findings::findings;

    /// Returns the findings as `kind tool | place | rule | test | message`.
    pub(crate) fn rendered(output: &str) -> Vec<String> {
        findings(output)
            .iter()
            .map(|found| {
                let line = found.line.map_or(String::new(), |line| format!(":{line}"));
                format!(
                    "{:?} {} | {}{line} | {} | {} | {}",
                    found.kind,
                    found.tool,
                    found.file.as_deref().unwrap_or_default(),
                    found.rule.as_deref().unwrap_or_default(),
                    found.test.as_deref().unwrap_or_default(),
                    found.message,
                )
            })
            .collect()
    }

    pub(crate) fn assert_cases(cases: &[(&str, &[&str])]) {
        let mut wrong = String::new();
        for (output, expected) in cases {
            let found = rendered(output);
            if found != *expected {
                wrong +=
                    &format!("---\n{output}\n  found:\n{found:#?}\n  expected:\n{expected:#?}\n");
            }
        }
        assert!(wrong.is_empty(), "{wrong}");
    }
}
