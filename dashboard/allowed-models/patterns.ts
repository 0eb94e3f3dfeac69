/** The models that an organization or a key may use, as people enter them: all, or one pattern on each line. */

export interface ModelsOwner {
  /** Null for the organization. */
  keyId: string | null;
  name: string;
  /** Null for all. */
  models: readonly string[] | null;
}

export interface EnteredModels {
  choice: 'all' | 'only';
  /** For `only`. */
  patterns: string;
}

export function editableModels(models: readonly string[] | null): EnteredModels {
  return models === null ? { choice: 'all', patterns: '' } : { choice: 'only', patterns: models.join('\n') };
}

/** Returns the list of the API; `null` for all models. */
export function modelsOf({ choice, patterns }: EnteredModels): string[] | null {
  return choice === 'all' ? null : linesOf(patterns);
}

/** The lines that are not empty; each pattern once. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Returns why the patterns are refused, or `null`. The server has the last word. */
export function checkPatterns(text: string): string | null {
  const patterns = linesOf(text);
  if (patterns.length === 0) return 'Enter at least one pattern, such as openai/*';
  const wrong = patterns.find((pattern) => pattern !== '*' && !pattern.includes('/'));
  return wrong === undefined
    ? null
    : `“${wrong}” has no provider: enter patterns such as openai/* or anthropic/claude-*`;
}
