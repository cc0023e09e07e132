//! Chat services: bot tokens, and webhook URLs that act as passwords.

use super::TokenPart::{AtLeast, Literal, Optional, Run};
use super::{Token, token};
use crate::bytes::{ALNUM, Class, DIGIT, URL64};

/// Lists the prefixes of Discord tokens. They start with the base64 of an account number, which
/// leaves ten pairs of first letters and ten third letters.
macro_rules! encoded_digits {
    ($($pair:literal)*) => {
        &[$(
            concat!($pair, "A"), concat!($pair, "E"), concat!($pair, "I"), concat!($pair, "M"), concat!($pair, "Q"),
            concat!($pair, "U"), concat!($pair, "Y"), concat!($pair, "c"), concat!($pair, "g"), concat!($pair, "k"),
        )*]
    };
}

pub(super) const RULES: &[Token] = &[
    token(
        "slack-token",
        &[
            "xoxb-",
            "xoxp-",
            "xoxa-",
            "xoxr-",
            "xoxs-",
            "xoxo-",
            "xoxc-",
            "xoxd-",
            "xoxe-",
            "xoxe.xoxb-",
            "xoxe.xoxp-",
        ],
        &[AtLeast(Class::new("-0-9A-Za-z%"), 20)],
    ),
    token(
        "slack-app-token",
        &["xapp-"],
        &[Run(DIGIT, 1, 1), Literal("-"), AtLeast(Class::new("-0-9A-Za-z"), 30)],
    ),
    token(
        "slack-webhook",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        &[AtLeast(Class::new("0-9A-Za-z/"), 24)],
    )
    .keep_start(),
    token(
        "discord-webhook",
        &[
            "discord.com/api/webhooks/",
            "discordapp.com/api/webhooks/",
            "discord.com/api/v8/webhooks/",
            "discord.com/api/v9/webhooks/",
            "discord.com/api/v10/webhooks/",
        ],
        &[Run(DIGIT, 16, 21), Literal("/"), AtLeast(URL64, 40)],
    )
    .keep_start(),
    token(
        "teams-webhook",
        &[".webhook.office.com/webhookb2/"],
        &[
            AtLeast(Class::new("-0-9A-Za-z@"), 36),
            Optional(&[Literal("/IncomingWebhook/"), AtLeast(Class::new("-0-9A-Za-z/"), 20)]),
        ],
    )
    .keep_start()
    .after(ALNUM, 1, 63),
    token(
        "discord-bot-token",
        encoded_digits!["MD" "MT" "Mj" "Mz" "ND" "NT" "Nj" "Nz" "OD" "OT"],
        &[Run(ALNUM, 19, 25), Literal("."), Run(URL64, 6, 7), Literal("."), Run(URL64, 27, 40)],
    )
    .lone(),
    token("discord-user-token", &["mfa."], &[Run(URL64, 80, 95)]).lone(),
    token("telegram-bot-token", &[":AA"], &[Run(URL64, 32, 34)])
        .after(DIGIT, 8, 10)
        .led_by("bot")
        .lone(),
    token("twitch-token", &["oauth:"], &[Run(Class::new("0-9a-z"), 30, 30)]).keep_start(),
];
