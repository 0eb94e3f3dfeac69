/** Loads what is loaded late, once. Only entry files call this. */

/** Even where it is loaded already, each `import()` takes 35 µs of a request. One that fails is tried again. */
export function once<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}
