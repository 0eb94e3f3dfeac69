/** Tells models for embeddings from models for completions by their names, since neither providers nor the price table say it. */

/** Families of open models do not name their use. `e5` and others stand at the beginning of a part of the name. */
const embeddingModel = /embed|minilm|nomic|(^|[^a-z0-9])(bge|e5|gte)-/i;

export function isEmbeddingModel(name: string): boolean {
  return embeddingModel.test(name);
}
