// Loaded into each process before its own code (NODE_OPTIONS): what is garbage is no leak, so it goes before anything is measured.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
});
