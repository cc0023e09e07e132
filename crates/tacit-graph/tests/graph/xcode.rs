//! What names mean in Swift where targets are those of Xcode's projects.

use std::collections::BTreeSet;

use tacit_graph::{PackedGraph, is_manifest, link, modules, pack};

use crate::{check_imports, check_uses, imports, project};

/// A project in which every target names its files: an app, a widget that shares one with it, a
/// framework for two systems, and tests.
const NAMED: &str = r#"// !$*UTF8*$!
{
	archiveVersion = 1;
	objects = {
/* Begin PBXBuildFile section */
		B1 /* App.swift in Sources */ = {isa = PBXBuildFile; fileRef = F1 /* App.swift */; };
		B2 /* Cart.swift in Sources */ = {isa = PBXBuildFile; fileRef = F2; };
		B3 /* Cart.swift in Sources */ = {isa = PBXBuildFile; fileRef = F2; };
		B4 /* Widget.swift in Sources */ = {isa = PBXBuildFile; fileRef = F3; };
		B5 = {isa = PBXBuildFile; fileRef = F4; };
		B6 = {isa = PBXBuildFile; fileRef = F4; };
		B7 = {isa = PBXBuildFile; fileRef = F5; };
		B8 = {isa = PBXBuildFile; fileRef = F6; };
		B9 = {isa = PBXBuildFile; fileRef = F7; };
		BA = {isa = PBXBuildFile; fileRef = F8; };
		BB = {isa = PBXBuildFile; fileRef = F9; };
/* End PBXBuildFile section */
		F1 /* App.swift */ = {isa = PBXFileReference; lastKnownFileType = sourcecode.swift; path = App.swift; sourceTree = "<group>"; };
		F2 /* Cart.swift */ = {isa = PBXFileReference; path = "Shared Code/Cart.swift"; sourceTree = SOURCE_ROOT; };
		F3 /* Widget.swift */ = {isa = PBXFileReference; name = Widget.swift; path = ../Widget/Widget.swift; sourceTree = "<group>"; };
		F4 = {isa = PBXFileReference; path = Kit/Money.swift; sourceTree = "<group>"; };
		F5 = {isa = PBXFileReference; path = Kit/Phone.swift; sourceTree = "<group>"; };
		F6 = {isa = PBXFileReference; path = AppTests/AppTests.swift; sourceTree = "<group>"; };
		F7 = {isa = PBXFileReference; path = Theme.swift; sourceTree = "<group>"; };
		F8 = {isa = PBXFileReference; path = Widget/Theme.swift; sourceTree = "<group>"; };
		F9 = {isa = PBXFileReference; path = /usr/include/Far.swift; sourceTree = "<absolute>"; };
		G0 = {isa = PBXGroup; children = (G1 /* Sources */, F2, F4, F5, F6, F8, F9, ); sourceTree = "<group>"; };
		G1 /* Sources */ = {isa = PBXGroup; children = (F1, F3, F7, ); name = Sources; path = App; sourceTree = "<group>"; };
		S1 = {isa = PBXSourcesBuildPhase; files = (B1 /* App.swift in Sources */, B2, B9, ); };
		S2 = {isa = PBXSourcesBuildPhase; files = (B3, B4, BA, ); };
		S3 = {isa = PBXSourcesBuildPhase; files = (B5, B7, ); };
		S4 = {isa = PBXSourcesBuildPhase; files = (B6, ); };
		S5 = {isa = PBXSourcesBuildPhase; files = (B8, BB, ); };
		R1 = {isa = PBXResourcesBuildPhase; files = (B4, ); };
		T1 /* My App */ = {isa = PBXNativeTarget; name = "My App"; buildPhases = (S1, R1, ); };
		T2 = {isa = PBXNativeTarget; name = Widget; buildPhases = (S2, ); };
		T3 = {isa = PBXNativeTarget; name = "Kit iOS"; buildPhases = (S3, ); buildConfigurationList = L1; };
		T4 = {isa = PBXNativeTarget; name = "Kit macOS"; buildPhases = (S4, ); buildConfigurationList = L1; };
		T5 = {isa = PBXNativeTarget; name = AppTests; buildPhases = (S5, ); };
		L1 = {isa = XCConfigurationList; buildConfigurations = (C1, C2, ); };
		C1 = {isa = XCBuildConfiguration; buildSettings = {PRODUCT_NAME = Kit; }; name = Debug; };
		C2 = {isa = XCBuildConfiguration; buildSettings = {PRODUCT_NAME = Kit; }; name = Release; };
		P1 /* Project object */ = {isa = PBXProject; mainGroup = G0; projectDirPath = ""; targets = (T1, T2, T3, T4, T5, ); };
	};
	rootObject = P1 /* Project object */;
}
"#;

/// The files of that project, below a folder.
fn shop(below: &str, project: &str) -> String {
    let files = [
        ("Shop.xcodeproj/project.pbxproj", project),
        (
            "App/App.swift",
            "import Kit\nimport SwiftUI\nstruct App { let cart: Cart; let theme: Theme; let money: Money; let rate: Rate\n\
             let widget: Widget; let phone: Phone; let loose: Loose; let text: Text }\n",
        ),
        ("App/Theme.swift", "struct Theme {}\n"),
        ("App/Loose.swift", "struct Loose { let theme: Theme }\n"),
        ("Shared Code/Cart.swift", "class Cart { let theme: Theme; let app: App }\n"),
        (
            "Widget/Widget.swift",
            "struct Widget { let cart: Cart; let theme: Theme; let app: App }\n",
        ),
        ("Widget/Theme.swift", "struct Theme {}\nstruct Text {}\n"),
        ("Kit/Money.swift", "public struct Money {}\nstruct Rate {}\n"),
        ("Kit/Phone.swift", "public struct Phone { let rate: Rate }\n"),
        (
            "AppTests/AppTests.swift",
            "@testable import My_App\nclass AppTests { let app: App; let loose: Loose; let w: Widget }\n",
        ),
    ];
    files.iter().map(|(path, text)| format!("== {below}{path}\n{text}\n")).collect()
}

#[test]
fn files_know_those_of_their_targets_and_what_they_import() {
    for below in ["", "ios/"] {
        let edges = [
            // `Theme` is that of the app; `Text`, which only the widget has, is somebody else's.
            "App/App.swift -> App/Theme.swift",
            "App/App.swift -> Kit/Money.swift",
            "App/App.swift -> Kit/Phone.swift",
            "App/App.swift -> Shared Code/Cart.swift",
            "App/Loose.swift ? the module it belongs to",
            "AppTests/AppTests.swift -> App/App.swift",
            "Kit/Phone.swift -> Kit/Money.swift",
            // It is built with two themes, so that none of them is meant.
            "Shared Code/Cart.swift -> App/App.swift",
            "Widget/Widget.swift -> Shared Code/Cart.swift",
            "Widget/Widget.swift -> Widget/Theme.swift",
        ];
        let edges: Vec<String> = edges
            .iter()
            .map(|edge| below.to_owned() + &edge.replace("-> ", &format!("-> {below}")))
            .collect();
        let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
        check_imports(&shop(below, NAMED), &edges);
    }
}

#[test]
fn a_project_that_cannot_be_read_links_nothing() {
    for broken in [
        "",
        "nonsense",
        &NAMED[..NAMED.len() / 2],
        &NAMED.replace("rootObject = P1", "rootObject = P9"),
        &NAMED.replace("mainGroup = G0", "mainGroup = G9"),
        &NAMED.replacen("/* Begin", "<<<<<<< HEAD\n/* Begin", 1),
        // Somewhere else than in the repository.
        &NAMED.replace("projectDirPath = \"\"", "projectDirPath = \"../..\""),
    ] {
        let found = imports(&shop("", broken));
        assert!(
            found.iter().all(|line| line.ends_with(" ? the module it belongs to")),
            "{found:?}"
        );
        assert_eq!(found.len(), 9, "every file is in none");
    }
    // A group that is in itself has an end.
    let circle =
        NAMED.replace("children = (F1, F3, F7, )", "children = (F1, F3, F7, G1, G1, G0, )");
    assert_eq!(imports(&shop("", &circle)), imports(&shop("", NAMED)));
}

#[test]
fn modules_are_called_what_settings_say_if_these_agree() {
    let with = |first: &str, second: &str| {
        let project = NAMED.replacen("PRODUCT_NAME = Kit;", first, 1);
        let project = project.replacen(
            "PRODUCT_NAME = Kit; }; name = Release",
            &format!("{second} }}; name = Release"),
            1,
        );
        let edges = imports(&shop("", &project).replace("import Kit\n", "import Kit_iOS\n"));
        let named_so = edges.contains(&"App/App.swift -> Kit/Money.swift".to_owned());
        let among_themselves = edges.contains(&"Kit/Phone.swift -> Kit/Money.swift".to_owned());
        assert!(among_themselves, "{first} {second}");
        named_so
    };
    for (first, second, is_named_so) in [
        ("PRODUCT_NAME = Kit;", "PRODUCT_NAME = Kit;", false),
        ("", "", true),
        ("PRODUCT_NAME = \"$(TARGET_NAME)\";", "PRODUCT_NAME = \"$(TARGET_NAME)\";", true),
        ("PRODUCT_MODULE_NAME = Kit_iOS;", "PRODUCT_MODULE_NAME = Kit_iOS;", true),
        ("PRODUCT_NAME = \"$(TARGET_NAME)\";", "PRODUCT_NAME = Kit;", false),
        ("PRODUCT_NAME = \"$(BRAND)\";", "PRODUCT_NAME = \"$(BRAND)\";", false),
    ] {
        assert_eq!(with(first, second), is_named_so, "{first} {second}");
    }
}

/// A project in which targets have whole folders.
const FOLDERS: &str = r#"// !$*UTF8*$!
{
	objects = {
		E1 /* Exceptions for "App" folder in "App" target */ = {
			isa = PBXFileSystemSynchronizedBuildFileExceptionSet;
			membershipExceptions = (
				Info.plist,
				"Old/Old.swift",
			);
			target = T1 /* App */;
		};
		E2 /* Exceptions for "App" folder in "Widget" target */ = {
			isa = PBXFileSystemSynchronizedBuildFileExceptionSet;
			membershipExceptions = (
				Model/Cart.swift,
			);
			target = T2 /* Widget */;
		};
		D1 /* App */ = {isa = PBXFileSystemSynchronizedRootGroup; exceptions = (E1, E2, ); path = App; sourceTree = "<group>"; };
		D2 /* Widget */ = {isa = PBXFileSystemSynchronizedRootGroup; path = Widget; sourceTree = "<group>"; };
		G0 = {isa = PBXGroup; children = (D1, D2, ); sourceTree = "<group>"; };
		S1 = {isa = PBXSourcesBuildPhase; files = ( ); };
		T1 /* App */ = {isa = PBXNativeTarget; name = App; buildPhases = (S1, ); fileSystemSynchronizedGroups = (D1, ); };
		T2 /* Widget */ = {isa = PBXNativeTarget; name = Widget; buildPhases = (S1, ); fileSystemSynchronizedGroups = (D2, ); };
		P1 = {isa = PBXProject; mainGroup = G0; targets = (T1, T2, ); };
	};
	rootObject = P1;
}
"#;

#[test]
fn targets_have_the_files_of_their_folders_but_for_exceptions() {
    check_imports(
        &format!(
            "== Shop.xcodeproj/project.pbxproj\n{FOLDERS}\
             == App/App.swift\nstruct App {{ let cart: Cart; let old: Old; let entry: Entry }}\n\
             == App/Model/Cart.swift\nclass Cart {{}}\n\
             == App/Old/Old.swift\nclass Old {{ let cart: Cart }}\n\
             == Widget/Widget.swift\nstruct Widget {{ let cart: Cart; let app: App; let entry: Entry }}\n\
             == Widget/Entry.swift\nstruct Entry {{}}\n\
             == Widgets/Other.swift\nstruct Other {{ let entry: Entry }}\n"
        ),
        &[
            "App/App.swift -> App/Model/Cart.swift",
            "App/Old/Old.swift ? the module it belongs to",
            "Widget/Widget.swift -> App/Model/Cart.swift",
            "Widget/Widget.swift -> Widget/Entry.swift",
            "Widgets/Other.swift ? the module it belongs to",
        ],
    );
}

#[test]
fn what_a_package_has_is_left_to_it() {
    // The project builds the sources of the package as well, under the same name.
    let package =
        "== Package.swift\nlet p = Package(targets: [.target(name: \"Kit\", path: \"Kit\")])\n";
    let text = shop("", NAMED) + package;
    let found = imports(&text);
    assert_eq!(found, imports(&shop("", NAMED)));
    assert!(found.contains(&"App/App.swift -> Kit/Money.swift".to_owned()));
}

#[test]
fn a_module_that_two_projects_have_is_not_imported() {
    let other = "== one/Package.swift\nlet p = Package(targets: [.target(name: \"Kit\", path: \"S\")])\n\
                 == one/S/Coin.swift\npublic struct Coin {}\n";
    let mut expected = imports(&shop("", NAMED));
    expected.retain(|edge| !edge.starts_with("App/App.swift -> Kit/"));
    expected.push("App/App.swift ? Kit".to_owned());
    expected.sort();
    assert_eq!(imports(&(shop("", NAMED) + other)), expected);
}

#[test]
fn calls_follow_extensions_in_a_target() {
    let text = shop("", NAMED)
        .replace("struct Theme {}\nstruct Text {}\n", "struct Theme {}\nfunc log(_ x: Int) {}\n")
        .replace(
            "class Cart { let theme: Theme; let app: App }",
            "class Cart { func total() { paint(1) } }\nfunc paint(_ x: Int) {}",
        )
        .replace(
            "struct Widget {",
            "extension Cart { func show() { total(); log(2) } }\nstruct Widget {",
        )
        .replace("struct App {", "func start() { log(1); paint(2) }\nstruct App {");
    check_uses(
        &text,
        &[
            "App/App.swift::start calls Shared Code/Cart.swift::paint",
            "Shared Code/Cart.swift::Cart.total calls Shared Code/Cart.swift::paint",
            "Widget/Widget.swift::Cart.show calls Shared Code/Cart.swift::Cart.total",
            "Widget/Widget.swift::Cart.show calls Widget/Theme.swift::log",
        ],
    );
}

#[test]
fn sources_without_any_manifest_are_linked_to_nothing_and_said_to_be() {
    let project = "== A.swift\nclass A { let b: B }\n== B.swift\nclass B {}\n";
    let missing = ["A.swift ? the module it belongs to", "B.swift ? the module it belongs to"];
    check_imports(project, &missing);
    // A manifest that is a program is built with nothing else.
    let package = "== Package.swift\nlet p = 1\n== Package@swift-5.9.swift\nlet p = 1\n";
    check_imports(&format!("{package}{project}"), &missing);
}

#[test]
fn a_project_speaks_for_the_folder_it_is_in() {
    for (path, expected) in [
        ("Shop.xcodeproj/project.pbxproj", true),
        ("ios/Shop.xcodeproj/project.pbxproj", true),
        ("Pods/Pods.xcodeproj/project.pbxproj", false),
        ("Shop.xcodeproj/project.xcworkspace/contents.xcworkspacedata", false),
    ] {
        assert_eq!(is_manifest(path), expected, "{path}");
    }
    let text = shop("ios/", NAMED) + "== web/package.json\n{}\n== web/a.ts\nexport const a = 1;\n";
    let project = project(&text);
    let manifests: BTreeSet<String> = project.manifests.keys().cloned().collect();
    let bytes = pack(&link(&project, 1), 1);
    let packed = PackedGraph::new(&bytes).unwrap();
    let found: Vec<String> =
        modules(&packed, &manifests).into_iter().map(|module| module.path).collect();
    assert_eq!(found, ["ios", "web"]);
}
