export default {
  compilerOptions: {
    runes: true,
    // The default hashes the file's path, which differs between checkouts.
    cssHash: ({ hash, css }) => `s${hash(css)}`,
  },
};
