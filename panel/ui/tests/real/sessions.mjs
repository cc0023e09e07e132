// The sessions of the generated project: one teaches, one is helped by it, and one is stopped before a danger.
const FAILED = `| ---- cart::totals stdout ----
|
| thread 'cart::totals' panicked at tests/cart.rs:9:5:
| \`read_schema\` lost a cent
|
| test result: FAILED. 2 passed; 1 failed; 0 ignored`;
const PASSED = '| test result: ok. 3 passed; 0 failed; 0 ignored';
const fix = (from, to) => `fails cargo test
${FAILED}
edits src/cart/schema.rs
| -    limit + ${from}
| +    limit + ${to}
runs cargo test
${PASSED}`;

export const SESSIONS = `
session teaching 2026-11-15T09:00:00Z
prompt The cart loses cents, fix it.
reads src/cart/schema.rs
${fix(8, 9)}
says The cart counts in cents now.
ends

session helped 2026-11-16T14:00:00Z
prompt Make the cart keep its cents after a discount.
reads src/cart/schema.rs
${fix(9, 10)}
says Done, all tests pass.
ends

session stopped 2026-11-17T16:00:00Z
prompt No, use pnpm here, not npm. Then clean the fixtures.
tries make wipe
runs pnpm install
| Done in 2s
says I left the fixtures alone.
ends

session running 2026-11-18T10:20:00Z
prompt How does the cart keep its cents?
reads src/cart/schema.rs
`;
export const DANGER = 'Never run `make wipe` here: it deletes the fixtures of the customer.';
