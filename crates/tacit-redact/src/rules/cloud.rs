//! Cloud providers, infrastructure and encryption keys.

use super::TokenPart::{AtLeast, Literal, Optional, Run};
use super::{PADDING, Token, token};
use crate::bytes::{
    ALNUM, BASE64, Class, DIGIT, HEX, LOWER_HEX, LOWER_NUM, UPPER_NUM, URL64, WORD,
};

pub(super) const RULES: &[Token] = &[
    // `AKIAIOSFODNN7EXAMPLE` from Amazon's documentation is redacted too: exceptions by name could
    // be abused.
    token("aws-access-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], &[Run(UPPER_NUM, 16, 16)]),
    token("aws-bedrock-key", &["ABSK"], &[AtLeast(BASE64, 100), PADDING]),
    token("presigned-url", &["X-Amz-Signature=", "X-Goog-Signature="], &[AtLeast(HEX, 64)])
        .keep_start(),
    token("google-api-key", &["AIza"], &[Run(URL64, 35, 35)]),
    token("google-oauth-secret", &["GOCSPX-"], &[Run(URL64, 28, 28)]),
    token("google-access-token", &["ya29."], &[AtLeast(URL64, 20)]),
    token("google-refresh-token", &["1//0"], &[AtLeast(URL64, 40)]),
    token(
        "azure-storage-key",
        &["AccountKey=", "SharedAccessKey="],
        &[AtLeast(BASE64, 40), PADDING],
    )
    .keep_start(),
    // A base64 signature in a query: `+`, `/` and `=` are escaped.
    token("azure-sas-signature", &["sig="], &[Run(Class::new("0-9A-Za-z%+/"), 40, 80), PADDING])
        .keep_start()
        .lone(),
    token("azure-client-secret", &["8Q~", "7Q~"], &[AtLeast(Class::new("-0-9A-Za-z_.~"), 31)])
        .after(ALNUM, 3, 3),
    // Older tokens are 52 letters without a prefix and are recognised by their name.
    token("azure-devops-pat", &["AZDO"], &[Run(ALNUM, 4, 4)]).after(ALNUM, 76, 76),
    token("openshift-token", &["sha256~"], &[Run(URL64, 43, 43)]),
    token("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], &[Run(LOWER_HEX, 64, 64)]),
    token(
        "databricks-token",
        &["dapi"],
        &[Run(LOWER_HEX, 32, 32), Optional(&[Literal("-"), Run(DIGIT, 1, 1)])],
    ),
    token("heroku-api-key", &["HRKU-"], &[AtLeast(URL64, 36)]),
    token("vault-token", &["hvs.", "hvb.", "hvr."], &[AtLeast(URL64, 24)]),
    token("terraform-cloud-token", &[".atlasv1."], &[AtLeast(URL64, 60)]).after(ALNUM, 14, 14),
    token(
        "cloudflare-origin-ca-key",
        &["v1.0-"],
        &[Run(LOWER_HEX, 24, 24), Literal("-"), Run(LOWER_HEX, 146, 146)],
    ),
    token("alibaba-access-key-id", &["LTAI"], &[Run(ALNUM, 16, 26)]).entropy(3.0),
    token(
        "flyio-token",
        &["fm1_", "fm2_", "fo1_"],
        &[AtLeast(Class::new("-0-9A-Za-z_+/"), 40), PADDING],
    ),
    token(
        "planetscale-token",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        &[AtLeast(URL64, 32)],
    ),
    token("supabase-key", &["sbp_"], &[Run(LOWER_HEX, 40, 40)]),
    token("supabase-key", &["sb_secret_"], &[AtLeast(URL64, 24)]),
    token(
        "doppler-token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
        &[AtLeast(Class::new("-0-9A-Za-z_."), 40)],
    ),
    token("pulumi-token", &["pul-"], &[Run(LOWER_HEX, 40, 40)]).lone(),
    token("tailscale-key", &["tskey-"], &[Run(LOWER_NUM, 3, 10), Literal("-"), AtLeast(URL64, 20)]),
    token("netlify-token", &["nfp_"], &[Run(ALNUM, 36, 40)]),
    token("vercel-blob-token", &["vercel_blob_rw_"], &[AtLeast(WORD, 30)]),
    token("neon-key", &["napi_"], &[Run(LOWER_NUM, 60, 68)]),
    token("grafana-token", &["glsa_"], &[Run(ALNUM, 32, 32), Literal("_"), Run(HEX, 8, 8)]),
    token("grafana-token", &["glc_"], &[AtLeast(BASE64, 32), PADDING]),
    token("newrelic-key", &["NRAK-"], &[Run(UPPER_NUM, 27, 27)]),
    token(
        "dynatrace-token",
        &["dt0c01."],
        &[Run(UPPER_NUM, 24, 24), Literal("."), Run(UPPER_NUM, 64, 64)],
    ),
    token(
        "onepassword-service-token",
        &["ops_eyJ"],
        &[AtLeast(Class::new("-0-9A-Za-z_+/"), 80), PADDING],
    ),
    token("age-secret-key", &["AGE-SECRET-KEY-1"], &[Run(UPPER_NUM, 58, 58)]),
    token(
        "kubernetes-bootstrap-token",
        &["--token "],
        &[Run(LOWER_NUM, 6, 6), Literal("."), Run(LOWER_NUM, 16, 16)],
    )
    .keep_start(),
    // Header and payload are enough: a token truncated before its signature still reveals its
    // claims.
    token(
        "jwt",
        &["eyJ"],
        &[
            AtLeast(URL64, 8),
            Literal(".eyJ"),
            AtLeast(URL64, 8),
            Optional(&[Literal("."), AtLeast(URL64, 0)]),
        ],
    )
    .lone(),
];
