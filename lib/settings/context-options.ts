export interface ContextOptions {
  /** The value of each option `-c`, as NAME=VALUE. */
  context?: readonly string[];
  /** The value of `--config FILE`, which is short for `-c config=FILE`. */
  config?: string;
}

/**
 * Returns the CDK context, or `null` if an option is not NAME=VALUE. If a name occurs twice, its last value counts, as for the
 * CDK.
 */
export function readContext({ context = [], config }: ContextOptions): Record<string, string> | null {
  const values: Record<string, string> = {};
  for (const text of context) {
    const position = text.indexOf('=');
    if (position < 1) return null;
    values[text.slice(0, position)] = text.slice(position + 1);
  }
  return config === undefined ? values : { ...values, config };
}
