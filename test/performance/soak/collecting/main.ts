// Loaded into each process before its own code (NODE_OPTIONS). Garbage is not a leak, so it is collected before anything is measured.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
});
