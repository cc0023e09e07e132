//! Cloud providers, infrastructure and encryption keys.

use super::Part::{Lit, Maybe, Open, Run};
use super::{PADDING, Token, token};
use crate::bytes::{
    ALNUM, BASE64, Class, DIGIT, HEX, LOWER_HEX, LOWER_NUM, UPPER_NUM, URL64, WORD,
};

pub(super) const RULES: &[Token] = &[
    // `AKIAIOSFODNN7EXAMPLE` from Amazon's own documentation is redacted too:
    // a rule that knows exceptions by name is a rule that can be fooled.
    token("aws-access-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], &[Run(UPPER_NUM, 16, 16)]),
    token("aws-bedrock-key", &["ABSK"], &[Open(BASE64, 100), PADDING]),
    token("presigned-url", &["X-Amz-Signature=", "X-Goog-Signature="], &[Open(HEX, 64)])
        .keep_start(),
    token("google-api-key", &["AIza"], &[Run(URL64, 35, 35)]),
    token("google-oauth-secret", &["GOCSPX-"], &[Run(URL64, 28, 28)]),
    token("google-access-token", &["ya29."], &[Open(URL64, 20)]),
    token("google-refresh-token", &["1//0"], &[Open(URL64, 40)]),
    token("azure-storage-key", &["AccountKey=", "SharedAccessKey="], &[Open(BASE64, 40), PADDING])
        .keep_start(),
    // A base64 signature, as it stands in a query: `+`, `/` and `=` are escaped.
    token("azure-sas-signature", &["sig="], &[Run(Class::new("0-9A-Za-z%+/"), 40, 80), PADDING])
        .keep_start()
        .lone(),
    token("azure-client-secret", &["8Q~", "7Q~"], &[Open(Class::new("-0-9A-Za-z_.~"), 31)])
        .after(ALNUM, 3, 3),
    // Older ones are 52 letters without a mark, and known by the name in front of them.
    token("azure-devops-pat", &["AZDO"], &[Run(ALNUM, 4, 4)]).after(ALNUM, 76, 76),
    token("openshift-token", &["sha256~"], &[Run(URL64, 43, 43)]),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], &[Run(LOWER_HEX, 64, 64)]),
    token(
        "databricks-token",
        &["dapi"],
        &[Run(LOWER_HEX, 32, 32), Maybe(&[Lit("-"), Run(DIGIT, 1, 1)])],
    ),
    token("heroku-api-key", &["HRKU-"], &[Open(URL64, 36)]),
    token("vault-token", &["hvs.", "hvb.", "hvr."], &[Open(URL64, 24)]),
    token("terraform-cloud-token", &[".atlasv1."], &[Open(URL64, 60)]).after(ALNUM, 14, 14),
    token(
        "cloudflare-origin-ca-key",
        &["v1.0-"],
        &[Run(LOWER_HEX, 24, 24), Lit("-"), Run(LOWER_HEX, 146, 146)],
    ),
    token("alibaba-access-key-id", &["LTAI"], &[Run(ALNUM, 16, 26)]).entropy(3.0),
    token(
        "flyio-token",
        &["fm1_", "fm2_", "fo1_"],
        &[Open(Class::new("-0-9A-Za-z_+/"), 40), PADDING],
    ),
    token("planetscale-token", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], &[Open(URL64, 32)]),
    token("supabase-key", &["sbp_"], &[Run(LOWER_HEX, 40, 40)]),
    token("supabase-key", &["sb_secret_"], &[Open(URL64, 24)]),
    token(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
        &[Open(Class::new("-0-9A-Za-z_."), 40)],
    ),
    token("pulumi-token", &["pul-"], &[Run(LOWER_HEX, 40, 40)]).lone(),
    token("tailscale-key", &["tskey-"], &[Run(LOWER_NUM, 3, 10), Lit("-"), Open(URL64, 20)]),
    token("netlify-token", &["nfp_"], &[Run(ALNUM, 36, 40)]),
    token("vercel-blob-token", &["vercel_blob_rw_"], &[Open(WORD, 30)]),
    token("neon-key", &["napi_"], &[Run(LOWER_NUM, 60, 68)]),
    token("grafana-token", &["glsa_"], &[Run(ALNUM, 32, 32), Lit("_"), Run(HEX, 8, 8)]),
    token("grafana-token", &["glc_"], &[Open(BASE64, 32), PADDING]),
    token("newrelic-key", &["NRAK-"], &[Run(UPPER_NUM, 27, 27)]),
    token(
        "dynatrace-token",
        &["dt0c01."],
        &[Run(UPPER_NUM, 24, 24), Lit("."), Run(UPPER_NUM, 64, 64)],
    ),
    token(
        "onepassword-service-token",
        &["ops_eyJ"],
        &[Open(Class::new("-0-9A-Za-z_+/"), 80), PADDING],
    ),
    token("age-secret-key", &["AGE-SECRET-KEY-1"], &[Run(UPPER_NUM, 58, 58)]),
    token(
        "kubernetes-bootstrap-token",
        &["--token "],
        &[Run(LOWER_NUM, 6, 6), Lit("."), Run(LOWER_NUM, 16, 16)],
    )
    .keep_start(),
    // Header and payload are enough: a token cut off before its signature still tells its claims.
    token(
        "jwt",
        &["eyJ"],
        &[Open(URL64, 8), Lit(".eyJ"), Open(URL64, 8), Maybe(&[Lit("."), Open(URL64, 0)])],
    )
    .lone(),
];
