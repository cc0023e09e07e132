//! What must survive. A memory that loses hashes, names and messages is no use.

use crate::template::fill;
use tacit_redact::redact;

#[rustfmt::skip]
const HASHES_AND_IDS: &[&str] = &[
    "commit {h40}",
    "deadbeef {h7}..{h7}",
    "id: {h8}-{h4}-{h4}-{h4}-{h12}",
    "sha256:{h64}",
    "image@sha256:{h64}",
    "\"integrity\": \"sha512-{b86}==\"",
    "checksum = \"{h64}\"",
    "resolution: {integrity: sha512-{b86}==}",
    "const MAGIC: u64 = 0xCBF29CE484222325;",
    "color: #ff8800; background: #0a0b0c80",
    "ETag: \"{h32}\"",
    "docker pull ghcr.io/org/app:{h40}",
    "cache-key: Linux-cargo-{h64}",
    "data:image/png;base64,iVBORw0KGgo{b200}",
    "AC{h32} is an account sid",
    "ssh-rsa AAAAB3NzaC1yc2E{b360} me@host",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5{b48} me@host",
    "public_key = \"{b120}\"",
    "-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n{b64}\n{b64}\n-----END PUBLIC KEY-----",
    "pk_live_{A24} is publishable",
    "eyJ alone, or eyJ{w40}",
    "token_type_id={h8}",
];

#[rustfmt::skip]
const CODE: &[&str] = &[
    "token = parser.next_token()",
    "let token = self.tokens[12];",
    "let token: Token = lexer.peek2()?;",
    "password: str",
    "password: Optional[str] = None",
    "def login(user: str, password: str = \"\"):",
    "fn f<K: Hash, Token: Into<String>>(key: K, token: Token) -> Vec<Token>",
    "pub password: Option<SecretString>,",
    "api_key=os.environ[\"API_KEY_1\"]",
    "api_key = os.getenv(\"OPENAI_API_KEY_2\")",
    "const apiKey = process.env.STRIPE_KEY_V2;",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "secret = None",
    "secret := vault.Read(path)",
    "password = getpass.getpass()",
    "password: config.db.password2,",
    "if token == Token::Comma {",
    "if (password !== confirmPassword) {",
    "assert_eq!(token, Token::Ident(\"x\"));",
    "getAccessTokenFromRequest(request)",
    "test_login_with_expired_token_returns_401",
    "fn parses_key_value_pairs_2() {}",
    "max_tokens: 4096, token_count = 128000",
    "password_min_length = 12",
    "token_url = \"https://auth.host/oauth2/token\"",
    "key = \"user:1234:profile:5678\"",
    "for (key, value) in map { out.insert(key, value); }",
    "primary_key: user_id_2024_backfill_v2",
    "headers[\"Authorization\"] = `Bearer ${token}`",
    "Authorization: Bearer $TOKEN",
    "Authorization: Bearer <token>",
    "req.header(\"Authorization\", format!(\"Bearer {token}\"))",
    "auth: oauth2",
    "auth = HTTPBasicAuth(user, pw)",
    "let auth = req.headers.authorization;",
    "secretName: my-k8s-secret-v2",
    "secret: app/prod/db-credentials",
    "password_hash = argon2id(password, salt)",
    "PASSWORD_HASHERS = [\"django.contrib.auth.hashers.Argon2PasswordHasher\"]",
    "<input type=\"password\" name=\"pw2\" autocomplete=\"current-password\">",
    "'password' => 'required|string|min:8'",
    "passenger: 12 people, passive: true1",
    "monkey=abc123def456ghi789jkl, hotkey: ctrl+shift+p1",
    "startswith(\"-----BEGIN RSA PRIVATE KEY-----\")",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "RE_TOKEN = re_compile_v2(pattern)",
    "names = ['PKPaymentPass', 'PKPaymentRequestUpdate', '_auth', '_authToken']",
    "def connect(self, proxy_user=None, proxy_pass=None, timeout=30):",
    "private_key: ed25519.Ed25519PrivateKey, generate_private_key: x25519_generate_private_key",
    "CHALLENGE_PASSWORD: \"challengePassword\",",
    "feature_flags.enable_new_auth_flow_2 = true",
    "#[token(\"fn\")] Fn, #[token(\"let2\")] Let,",
];

#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "TOKEN=${TOKEN}",
    "TOKEN=$TOKEN",
    "PASSWORD=$(pass show db/prod1)",
    "API_KEY=<your-api-key-123>",
    "api_key = \"YOUR_API_KEY_HERE_123\"",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "glpat-your-token-goes-here-please",
    "password=********",
    "password: changeme123",
    "PASSWORD=password",
    "secret: \"[redacted:generic-secret]\"",
    "postgres://user:password@localhost/db",
    "postgres://user:${PASS}@localhost/db",
    "postgres://user:<password>@localhost/db",
    "postgres://{user}:{password}@{host}/{db}",
    "mysql://root:xxx@localhost, mysql://root:***@localhost",
    "--password <PASSWORD> --token string",
    "PWD=/home/me/projects/tacit-2b7f",
];

#[rustfmt::skip]
const PROSE_AND_PATHS: &[&str] = &[
    "Bearer token authentication is required",
    "Use Basic authentication, or Basic auth with a realm",
    "Authorization: Bearer token",
    "The key: value pairs are sorted. The secret: patience.",
    "A risk-free, disk-usage-report-2024 and task-sk-runner-with-a-long-name-2024",
    "ask-the-desk-about-sk-learn-and-sk-image-1234",
    "Password: must be at least 12 characters",
    "the token is base64-encoded, the password is sha256-hashed",
    "2024-05-01T12:34:56.789Z token: 2024-05-01T12:34:56Z",
    "version 1.2.3-alpha.4+build.567, rustc 1.95.0 (f2d3ce0bd 2026-03-21)",
    "/usr/lib/x86_64-linux-gnu/libssl.so.3 and C:\\Users\\me\\key2.txt",
    "secret: /var/run/secrets/kubernetes.io/serviceaccount/token",
    "see crates/tacit-redact/src/context/key.rs:42:17",
    "http://localhost:8080/path?x=1#frag",
    "https://www.npmjs.com/package/@scope/name",
    "https://medium.com/@author/title-{h12}",
    "git@github.com:org/repo.git and ssh://git@host:22/repo",
    "mail me@example.org, not root@10.0.0.1:25",
    "@types/node@20.11.5, @babel/plugin-transform-runtime@7.23.9",
    "npm_config_registry=https://registry.npmjs.org npm_lifecycle_event",
    "hf_hub_download, sk_learn_model, re_export_all_the_things_again",
    "curl -u user https://host:8443/x",
    "let map: HashMap<String, Vec<Result<Token, ParseError>>> = HashMap::new();",
    "xoxb-tokens are described in xoxb-token-documentation-page",
];

#[test]
fn lookalikes_survive() {
    let groups = [HASHES_AND_IDS, CODE, PLACEHOLDERS, PROSE_AND_PATHS];
    assert!(groups.iter().map(|group| group.len()).sum::<usize>() >= 100);
    let mut wrong = Vec::new();
    for template in groups.concat() {
        for seed in 1..40 {
            let text = fill(template, seed);
            let redacted = redact(&text);
            if !redacted.is_clean() {
                wrong.push(format!("{text:?}\n    became {:?}", redacted.text));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
