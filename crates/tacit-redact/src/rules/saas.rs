//! Payment, mail, shop and other hosted services.

use super::TokenPart::{AtLeast, Literal, Run};
use super::{PADDING, Token, token};
use crate::bytes::{ALNUM, BASE64, Class, DIGIT, HEX, LOWER_HEX, LOWER_NUM, URL64};

pub(super) const RULES: &[Token] = &[
    // Publishable `pk_` keys are public and have no rule.
    token(
        "stripe-key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_"],
        &[AtLeast(ALNUM, 16)],
    ),
    token("stripe-webhook-secret", &["whsec_"], &[AtLeast(BASE64, 24), PADDING]),
    token("sendgrid-key", &["SG."], &[Run(URL64, 20, 24), Literal("."), Run(URL64, 39, 50)]).lone(),
    // An account SID (`AC…`) is a name; an API key SID is half of a login.
    token(
        "twilio-key",
        &[
            "SK0", "SK1", "SK2", "SK3", "SK4", "SK5", "SK6", "SK7", "SK8", "SK9", "SKa", "SKb",
            "SKc", "SKd", "SKe", "SKf",
        ],
        &[Run(LOWER_HEX, 31, 31)],
    )
    .lone(),
    token("mailgun-key", &["key-"], &[Run(LOWER_HEX, 32, 32)]).lone(),
    token("mailchimp-key", &["-us"], &[Run(DIGIT, 1, 2)]).after(LOWER_HEX, 32, 32),
    token(
        "brevo-key",
        &["xkeysib-", "xsmtpsib-"],
        &[Run(LOWER_HEX, 64, 64), Literal("-"), Run(ALNUM, 16, 16)],
    ),
    token("resend-key", &["re_"], &[Run(ALNUM, 8, 8), Literal("_"), Run(ALNUM, 24, 24)])
        .lone()
        .entropy(3.5),
    token("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], &[Run(HEX, 32, 32)]),
    token("notion-token", &["secret_"], &[Run(ALNUM, 43, 43)]),
    token("notion-token", &["ntn_"], &[Run(ALNUM, 40, 56)]),
    token("airtable-token", &["pat"], &[Run(ALNUM, 14, 14), Literal("."), Run(LOWER_HEX, 64, 64)])
        .lone(),
    token("figma-token", &["figd_", "figo_"], &[AtLeast(URL64, 36)]),
    token("square-token", &["sq0atp-", "sq0csp-", "sq0idp-"], &[AtLeast(URL64, 22)]),
    token("square-token", &["EAAA"], &[Run(URL64, 56, 64)]).lone().entropy(3.5),
    token(
        "braintree-token",
        &["access_token$production$", "access_token$sandbox$"],
        &[Run(LOWER_NUM, 16, 16), Literal("$"), Run(LOWER_HEX, 32, 32)],
    ),
    token(
        "plaid-token",
        &["access-production-", "access-sandbox-", "access-development-"],
        &[Run(HEX, 8, 8), Literal("-"), Run(Class::new("-0-9a-f"), 27, 27)],
    ),
    token("dropbox-token", &["sl.u.", "sl.B"], &[AtLeast(URL64, 60)]).lone(),
    token("typeform-token", &["tfp_"], &[AtLeast(URL64, 40)]),
    token("contentful-token", &["CFPAT-"], &[AtLeast(URL64, 40)]),
    token(
        "launchdarkly-key",
        &["sdk-", "api-", "mob-"],
        &[
            Run(HEX, 8, 8),
            Literal("-"),
            Run(HEX, 4, 4),
            Literal("-"),
            Run(Class::new("-0-9a-f"), 22, 22),
        ],
    )
    .lone(),
    token(
        "mapbox-secret-token",
        &["sk.eyJ"],
        &[AtLeast(URL64, 40), Literal("."), AtLeast(URL64, 20)],
    )
    .lone(),
    token("shippo-token", &["shippo_live_", "shippo_test_"], &[Run(HEX, 40, 40)]),
    token("easypost-key", &["EZAK", "EZTK"], &[Run(ALNUM, 54, 54)]),
    token("duffel-token", &["duffel_live_", "duffel_test_"], &[AtLeast(URL64, 40)]),
    token("frameio-token", &["fio-u-"], &[AtLeast(URL64, 60)]),
    token("prefect-key", &["pnu_", "pnb_"], &[Run(ALNUM, 36, 36)]),
    token("readme-key", &["rdme_"], &[Run(LOWER_NUM, 70, 70)]),
    token("adafruit-key", &["aio_"], &[Run(ALNUM, 28, 28)]),
];
