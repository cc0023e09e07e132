//! Real formats, invented values. Each row: the rule that must name it, the text
//! before, the secret, the text after.

use crate::template::fill;
use tacit_redact::{redact, rule_ids};

type Row = (&'static str, &'static str, &'static str, &'static str);

#[rustfmt::skip]
pub(crate) const TOKENS: &[Row] = &[
    ("anthropic-key", "", "sk-ant-api03-{w93}AA", ""),
    ("anthropic-key", "key is ", "sk-ant-oat01-{w60}", "."),
    ("openrouter-key", "", "sk-or-v1-{h64}", ""),
    ("openai-key", "", "sk-proj-{w74}T3BlbkFJ{w74}", ""),
    ("openai-key", "", "sk-svcacct-{w48}", ""),
    ("openai-key", "", "sk-admin-{w48}", ""),
    ("openai-key", "use ", "sk-{A20}T3BlbkFJ{A20}", " please"),
    ("openai-session", "", "sess-{A40}", ""),
    ("huggingface-token", "", "hf_{A34}", ""),
    ("huggingface-org-token", "", "api_org_{L34}", ""),
    ("groq-key", "", "gsk_{A52}", ""),
    ("xai-key", "", "xai-{A80}", ""),
    ("perplexity-key", "", "pplx-{A48}", ""),
    ("replicate-token", "", "r8_{A37}", ""),
    ("nvidia-key", "", "nvapi-{w64}", ""),
    ("langsmith-key", "", "lsv2_pt_{h32}_{h10}", ""),
    ("tavily-key", "", "tvly-dev-{A32}", ""),
    ("firecrawl-key", "", "fc-{h32}", ""),
    ("github-token", "git clone with ", "ghp_{A36}", ""),
    ("github-token", "", "gho_{A36}", ""),
    ("github-token", "", "ghu_{A36}", ""),
    ("github-token", "", "ghs_{A36}", ""),
    ("github-token", "{\\\"out\\\":\\\"x\\n", "ghr_{A36}", "\\n\\\"}"),
    ("github-fine-grained-token", "", "github_pat_{A22}_{A59}", ""),
    ("gitlab-token", "", "glpat-{w20}", ""),
    ("gitlab-token", "", "glpat-{w27}.01.{l9}", ""),
    ("gitlab-token", "", "gldt-{w20}", ""),
    ("gitlab-token", "", "glrt-{w20}", ""),
    ("gitlab-runner-token", "", "GR1348941{w20}", ""),
    ("bitbucket-app-password", "", "ATBB{A32}", ""),
    ("atlassian-token", "", "ATATT3xFf{w180}={h8}", ""),
    ("npm-token", "//registry.npmjs.org/:_authToken=", "npm_{A36}", ""),
    ("npmrc-auth", "//registry/:_auth=", "{b32}==", ""),
    ("pypi-token", "", "pypi-AgEIcHlwaS5vcmc{w130}", ""),
    ("crates-io-token", "token = \"", "cio{A32}", "\""),
    ("rubygems-key", "", "rubygems_{h48}", ""),
    ("nuget-key", "", "oy2{l43}", ""),
    ("clojars-token", "", "CLOJARS_{h60}", ""),
    ("dockerhub-token", "docker login -p ", "dckr_pat_{w27}", ""),
    ("artifactory-key", "", "AKCp{A69}", ""),
    ("circleci-token", "", "CCIPAT_{A22}_{h40}", ""),
    ("buildkite-token", "", "bkua_{h40}", ""),
    ("sonar-token", "", "sqp_{h40}", ""),
    ("snyk-service-token", "", "snyk_uat.{h8}.{w60}", ""),
    ("sentry-token", "", "sntryu_{h64}", ""),
    ("sentry-token", "", "sntrys_{b60}", ""),
    ("postman-key", "", "PMAK-{h24}-{h34}", ""),
    ("linear-key", "", "lin_api_{A40}", ""),
    ("aws-access-key-id", "", "AKIA{U16}", ""),
    ("aws-access-key-id", "aws_access_key_id = ", "ASIA{U16}", "\n"),
    ("aws-access-key-id", "", "ABIA{U16}", ""),
    ("aws-access-key-id", "the documented ", "AKIAIOSFODNN7EXAMPLE", " goes too"),
    ("aws-bedrock-key", "", "ABSK{b120}", ""),
    ("presigned-url", "&X-Amz-Signature=", "{h64}", ""),
    ("google-api-key", "?key=", "AIza{w35}", "&q=1"),
    ("google-oauth-secret", "", "GOCSPX-{w28}", ""),
    ("google-access-token", "", "ya29.{w120}", ""),
    ("google-refresh-token", "", "1//0{w60}", ""),
    ("azure-storage-key", "AccountName=x;AccountKey=", "{b86}==", ";EndpointSuffix=core"),
    ("azure-sas-signature", "?sv=2022-11-02&sig=", "{A40}%2B7%3D", "&se=2025"),
    ("azure-client-secret", "", "{A3}8Q~{A34}", ""),
    ("digitalocean-token", "", "dop_v1_{h64}", ""),
    ("databricks-token", "", "dapi{h32}", ""),
    ("databricks-token", "", "dapi{h32}-2", ""),
    ("heroku-api-key", "", "HRKU-AA{w58}", ""),
    ("vault-token", "", "hvs.{w90}", ""),
    ("terraform-cloud-token", "", "{A14}.atlasv1.{w67}", ""),
    ("cloudflare-origin-ca-key", "", "v1.0-{h24}-{h146}", ""),
    ("alibaba-access-key-id", "", "LTAI{A20}", ""),
    ("flyio-token", "FlyV1 ", "fm2_{b80}", ""),
    ("planetscale-token", "", "pscale_tkn_{w43}", ""),
    ("supabase-key", "", "sbp_{h40}", ""),
    ("supabase-key", "", "sb_secret_{w31}", ""),
    ("doppler-token", "", "dp.pt.{A43}", ""),
    ("pulumi-token", "", "pul-{h40}", ""),
    ("tailscale-key", "", "tskey-auth-{A12}CNTRL-{A32}", ""),
    ("netlify-token", "", "nfp_{A36}", ""),
    ("vercel-blob-token", "", "vercel_blob_rw_{A16}_{A30}", ""),
    ("neon-key", "", "napi_{l64}", ""),
    ("grafana-token", "", "glsa_{A32}_{h8}", ""),
    ("grafana-token", "", "glc_{b60}", ""),
    ("newrelic-key", "", "NRAK-{U27}", ""),
    ("dynatrace-token", "", "dt0c01.{U24}.{U64}", ""),
    ("onepassword-service-token", "", "ops_eyJ{b120}", ""),
    ("age-secret-key", "", "AGE-SECRET-KEY-1{U58}", ""),
    ("kubernetes-bootstrap-token", "kubeadm join h:6443 --token ", "{l6}.{l16}", " --x"),
    ("jwt", "", "eyJ{w33}.eyJ{w71}.{w43}", ""),
    ("jwt", "cut off: ", "eyJ{w33}.eyJ{w71}", ""),
    ("slack-token", "", "xoxb-{d12}-{d13}-{A24}", ""),
    ("slack-token", "", "xoxp-{d11}-{d11}-{d12}-{h32}", ""),
    ("slack-token", "", "xoxa-2-{d12}-{A30}", ""),
    ("slack-token", "", "xoxe.xoxp-1-{A120}", ""),
    ("slack-app-token", "", "xapp-1-A{U10}-{d13}-{h64}", ""),
    ("slack-webhook", "https://hooks.slack.com/services/", "T{U10}/B{U10}/{A24}", ""),
    ("discord-webhook", "https://discord.com/api/webhooks/", "{d19}/{w68}", ""),
    ("discord-bot-token", "", "MTAy{A22}.G{A5}.{w38}", ""),
    ("teams-webhook", "https://corp.webhook.office.com/webhookb2/", "{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}", ""),
    ("telegram-bot-token", "", "{d10}:AA{w33}", ""),
    ("telegram-bot-token", "https://api.telegram.org/bot", "{d10}:AA{w33}", "/getMe"),
    ("twitch-token", "PASS oauth:", "{l30}", ""),
    ("stripe-key", "", "sk_live_{A24}", ""),
    ("stripe-key", "", "rk_live_{A99}", ""),
    ("stripe-key", "", "sk_test_{A24}", ""),
    ("stripe-webhook-secret", "", "whsec_{A32}", ""),
    ("sendgrid-key", "", "SG.{w22}.{w43}", ""),
    ("twilio-key", "", "SK{h32}", ""),
    ("mailgun-key", "", "key-{h32}", ""),
    ("mailchimp-key", "", "{h32}-us21", ""),
    ("brevo-key", "", "xkeysib-{h64}-{A16}", ""),
    ("resend-key", "", "re_{A8}_{A24}", ""),
    ("shopify-token", "", "shpat_{h32}", ""),
    ("shopify-token", "", "shpss_{h32}", ""),
    ("notion-token", "", "secret_{A43}", ""),
    ("notion-token", "", "ntn_{A46}", ""),
    ("airtable-token", "", "pat{A14}.{h64}", ""),
    ("figma-token", "", "figd_{w40}", ""),
    ("square-token", "", "sq0csp-{w43}", ""),
    ("square-token", "", "EAAA{w60}", ""),
    ("braintree-token", "", "access_token$production${l16}${h32}", ""),
    ("plaid-token", "", "access-production-{h8}-{h4}-{h4}-{h4}-{h12}", ""),
    ("dropbox-token", "", "sl.u.{w130}", ""),
    ("typeform-token", "", "tfp_{w44}", ""),
    ("contentful-token", "", "CFPAT-{w43}", ""),
    ("launchdarkly-key", "", "sdk-{h8}-{h4}-{h4}-{h4}-{h12}", ""),
    ("mapbox-secret-token", "", "sk.eyJ{w80}.{w22}", ""),
    ("shippo-token", "", "shippo_live_{h40}", ""),
    ("easypost-key", "", "EZAK{A54}", ""),
    ("duffel-token", "", "duffel_test_{w43}", ""),
    ("frameio-token", "", "fio-u-{w64}", ""),
    ("prefect-key", "", "pnu_{A36}", ""),
    ("readme-key", "", "rdme_{l70}", ""),
    ("adafruit-key", "", "aio_{A28}", ""),
];

#[rustfmt::skip]
const IN_CONTEXT: &[Row] = &[
    ("private-key", "see\n", "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{b64}\n{b64}\n{b20}==\n-----END RSA PRIVATE KEY-----", "\nbye"),
    ("private-key", "", "-----BEGIN OPENSSH PRIVATE KEY-----\n{b70}\n{b70}\n-----END OPENSSH PRIVATE KEY-----", ""),
    ("private-key", "", "-----BEGIN EC PRIVATE KEY-----\n{b64}\n-----END EC PRIVATE KEY-----", ""),
    ("private-key", "", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{b64}\n={b4}\n-----END PGP PRIVATE KEY BLOCK-----", ""),
    ("private-key", "cut off:\n", "-----BEGIN PRIVATE KEY-----\n{b64}\n{b64}\n{b9}", "\n\nand then some prose."),
    ("private-key", "KEY=\"", "-----BEGIN PRIVATE KEY-----\\n{b64}\\n{b64}\\n-----END PRIVATE KEY-----", "\\n\""),
    ("gcp-service-account-key", "{\"private_key_id\": \"x\", \"private_key\": \"", "-----BEGIN PRIVATE KEY-----\\n{b64}\\n{b64}\\n-----END PRIVATE KEY-----", "\\n\"}"),
    ("url-password", "postgres://app:", "{l12}", "@db.internal:5432/app"),
    ("url-password", "redis://:", "{l12}", "@cache:6379/0"),
    ("url-password", "amqp://guest:", "p@ss-{l6}", "@mq/vhost"),
    ("url-password", "mongodb+srv://root:", "{A20}", "@cluster0.mongodb.net/?w=1"),
    ("github-token", "https://x-access-token:", "ghs_{A36}", "@github.com/o/r.git"),
    ("url-password", "https://", "{h40}", ":x-oauth-basic@github.com/o/r"),
    ("authorization-header", "Authorization: Bearer ", "{A40}", "\r\nHost: x"),
    ("authorization-header", "curl -H 'Authorization: token ", "{h40}", "' https://api"),
    ("authorization-header", "{\"Authorization\": \"Bearer ", "{w32}", "\"}"),
    ("authorization-header", "Authorization: Basic ", "dXNlcjpodW50ZXIyc2VjcmV0", "\n"),
    ("authorization-header", "authorization: ", "{A40}", ""),
    ("jwt", "Authorization: Bearer ", "eyJ{w33}.eyJ{w71}.{w43}", ""),
    ("bearer-token", "sent `Bearer ", "{w40}", "`"),
    ("basic-auth", "header is Basic ", "YWRtaW46aHVudGVyMnNlY3JldA==", ""),
    ("cookie-header", "Cookie: ", "theme=dark; sid={A32}", "\nAccept: */*"),
    ("curl-password", "curl -s -u admin:", "hunter2", " https://host/x"),
    ("netrc-password", "machine api.host login me password ", "hunter2", "\n"),
    ("netrc-password", "machine api.host\n  login me\n  password ", "swordfish", "\n"),
    ("connection-string-password", "Server=db;User Id=app;Password=", "swordfish", ";Encrypt=true"),
    ("connection-string-password", "Data Source=db;UID=sa;PWD=", "Str0ng!Pass", ";"),
    ("connection-string-password", "host=db user=app password=", "swordfish", " dbname=app"),
    ("aws-secret-key", "aws_secret_access_key = ", "{b40}", "\n"),
    ("aws-secret-key", "AWS_SECRET_ACCESS_KEY=", "{b40}", "\n"),
    ("aws-secret-key", "\"SecretAccessKey\": \"", "{b40}", "\","),
    ("cloudflare-token", "CLOUDFLARE_API_TOKEN=", "{w40}", ""),
    ("cloudflare-token", "cloudflare_api_key: ", "{h37}", ""),
    ("heroku-api-key", "HEROKU_API_KEY=", "{h8}-{h4}-{h4}-{h4}-{h12}", ""),
    ("datadog-key", "DD_API_KEY=", "{h32}", ""),
    ("azure-secret", "AZURE_CLIENT_SECRET=", "{A34}", ""),
    ("github-token", "GITHUB_TOKEN=", "ghp_{A36}", ""),
    ("mailchimp-key", "MAILCHIMP_API_KEY=", "{h32}-us10", ""),
    ("generic-secret", "PASSWORD=", "hunter2", ""),
    ("generic-secret", "export DB_PASS=", "swordfish", "\n"),
    ("generic-secret", "POSTGRES_PASSWORD=", "p&ss,w0rd)", "\n"),
    ("generic-secret", "password: ", "hunter2", "\n"),
    ("generic-secret", "password = \"", "Summer2024!", "\""),
    ("generic-secret", "{\"password\":\"", "hunter22", "\"}"),
    ("generic-secret", "{\\\"password\\\": \\\"", "hunter22", "\\\"}"),
    ("generic-secret", "config['db_password'] = '", "hunter22", "'"),
    ("generic-secret", ":password => '", "hunter22", "'"),
    ("generic-secret", "const token: &str = \"", "{A24}", "\";"),
    ("generic-secret", "var apiToken string = \"", "{A24}", "\""),
    ("generic-secret", "api_key: String::from(\"", "{A24}", "\")"),
    ("generic-secret", "client_secret = '", "{w30}", "'"),
    ("generic-secret", "X-Api-Key: ", "{h32}", "\n"),
    ("generic-secret", ".header(\"X-Api-Key\", \"", "{h32}", "\")"),
    ("generic-secret", "?access_token=", "{A32}", "&page=2"),
    ("generic-secret", "SECRET_KEY_BASE=", "{h128}", ""),
    ("generic-secret", "encryption_key: ", "{b43}=", "\n"),
    ("generic-secret", "\"auth\": \"", "dXNlcjpodW50ZXIyc2VjcmV0", "\""),
    ("generic-secret", "tool --password ", "hunter2secret", " run"),
    ("generic-secret", "tool --api-key=", "{A20}", " run"),
    ("generic-secret", "tool --token ", "{A40}", ""),
    ("generic-secret", "<password>", "hunter22", "</password>"),
    ("generic-secret", "the password is ", "hunter2secret", " now"),
    ("generic-secret", "cut off: password=\"", "hunter2sec", ""),
];

fn rows() -> impl Iterator<Item = &'static Row> {
    TOKENS.iter().chain(IN_CONTEXT)
}

#[test]
fn every_secret_is_replaced_and_named() {
    assert!(rows().count() >= 150);
    let mut wrong = Vec::new();
    for (rule, before, secret, after) in rows() {
        for seed in 1..40 {
            let (secret, before) = (fill(secret, seed), fill(before, seed));
            let text = format!("{before}{secret}{after}");
            let redacted = redact(&text).text.into_owned();
            if redacted != format!("{before}[redacted:{rule}]{after}") {
                wrong.push(format!("{rule}: {text:?}\n    became {redacted:?}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_a_sample() {
    let missing: Vec<_> =
        rule_ids().into_iter().filter(|id| !rows().any(|row| row.0 == *id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn one_character_less_is_no_longer_a_token() {
    // Exact lengths keep ordinary identifiers with the same start alive.
    for template in
        ["npm_{A35}", "AKIA{U15}", "dapi{h31}", "SK{h31}", "hf_{A30}", "cio{A31}", "key-{h31}"]
    {
        let text = fill(template, 7);
        assert_eq!(redact(&text).text, text);
    }
}
