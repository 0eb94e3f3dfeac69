/**
 * Returns a function that calls `load` on first use and then returns the same promise; a failed load is retried on the
 * next call. Mostly for modules: even for a loaded module, each `import()` takes 35 µs.
 */
export function lazy<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}
