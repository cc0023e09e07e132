//! Code hosts, package registries and build services.

use super::TokenPart::{AtLeast, Literal, Optional, Run};
use super::{PADDING, Token, token};
use crate::bytes::{ALNUM, BASE64, Class, HEX, LOWER_HEX, LOWER_NUM, URL64, WORD};

pub(super) const RULES: &[Token] = &[
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], &[Run(ALNUM, 36, 251)]),
    token("github-fine-grained-token", &["github_pat_"], &[AtLeast(WORD, 36)]),
    token(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glptt-", "glft-", "glsoat-", "glcbt-", "glimt-",
            "glagent-", "gloas-", "glffct-",
        ],
        // Routable tokens add `.01.` and a checksum.
        &[
            AtLeast(URL64, 20),
            Optional(&[
                Literal("."),
                AtLeast(URL64, 2),
                Optional(&[Literal("."), AtLeast(URL64, 2)]),
            ]),
        ],
    ),
    token("gitlab-runner-token", &["GR1348941"], &[AtLeast(URL64, 20)]),
    token("bitbucket-app-password", &["ATBB"], &[Run(ALNUM, 28, 40)]),
    token(
        "atlassian-token",
        &["ATATT3", "ATCTT3"],
        &[AtLeast(URL64, 60), Optional(&[Literal("="), Run(HEX, 8, 8)])],
    ),
    token("npm-token", &["npm_"], &[Run(ALNUM, 36, 36)]),
    token("npmrc-auth", &["_auth="], &[AtLeast(BASE64, 12), PADDING]).keep_start(),
    token("pypi-token", &["pypi-AgE"], &[AtLeast(URL64, 40)]),
    token("crates-io-token", &["cio"], &[Run(ALNUM, 32, 32)]).lone().entropy(3.0),
    token("rubygems-key", &["rubygems_"], &[Run(LOWER_HEX, 48, 48)]),
    token("nuget-key", &["oy2"], &[Run(LOWER_NUM, 43, 43)]).lone().entropy(3.0),
    token("clojars-token", &["CLOJARS_"], &[Run(HEX, 60, 60)]),
    token("dockerhub-token", &["dckr_pat_", "dckr_oat_"], &[AtLeast(URL64, 24)]),
    token("artifactory-key", &["AKCp"], &[Run(ALNUM, 69, 80)]),
    token("circleci-token", &["CCIPAT_", "CCIPRJ_"], &[AtLeast(WORD, 40)]),
    token("buildkite-token", &["bkua_", "bkct_"], &[Run(HEX, 40, 40)]),
    token("sonar-token", &["sqp_", "squ_", "sqa_"], &[Run(HEX, 40, 40)]),
    token("snyk-service-token", &["snyk_uat."], &[AtLeast(Class::new("-0-9A-Za-z_."), 40)]),
    token("sentry-token", &["sntryu_"], &[Run(HEX, 64, 64)]),
    token("sentry-token", &["sntrys_"], &[AtLeast(Class::new("-0-9A-Za-z_+/"), 40), PADDING]),
    token("postman-key", &["PMAK-"], &[Run(HEX, 24, 24), Literal("-"), Run(HEX, 34, 34)]),
    token("linear-key", &["lin_api_", "lin_oauth_"], &[Run(ALNUM, 32, 64)]),
];
