/** The models that an organization or a key may use, as patterns of their requested names, such as `openai/*` and `route/*`. */
import { invalidRequestError } from '#lambdas/platform/errors.ts';
import type { RequestKey } from '../directory.ts';

/** Inclusive. */
const modelPatternBounds = { patterns: 100, length: 256 } as const;

const printable = /^[^\p{Cc}\p{Cs}]+$/u;

/**
 * Throws a `GatewayError` (400) for anything but a list of patterns. In a pattern, `*` stands for any characters, and everything else for
 * itself; it has a slash, or is `*`.
 */
export function readModelPatterns(value: unknown): readonly string[] {
  const { patterns, length } = modelPatternBounds;
  if (!Array.isArray(value) || value.length === 0 || value.length > patterns) {
    throw invalidRequestError('models', `models must be a list of 1 to ${patterns} patterns`);
  }
  return value.map((pattern: unknown, index) => {
    if (typeof pattern !== 'string' || pattern.length > length || !printable.test(pattern)) {
      throw invalidRequestError(
        `models[${index}]`,
        `models[${index}] must be a pattern of 1 to ${length} characters, without control characters`,
      );
    }
    if (pattern !== '*' && !pattern.includes('/')) {
      throw invalidRequestError(
        `models[${index}]`,
        `models[${index}] must have the form <provider>/<model>, such as openai/*: got ${pattern}`,
      );
    }
    return pattern;
  });
}

/** `model` is the requested name, with the provider: `<provider>/<model>` or `route/<name>`. */
export function allowsModel(patterns: readonly string[], model: string): boolean {
  return patterns.some((pattern) => matches(pattern, model));
}

/** Without a regular expression, which some patterns would make slow. */
function matches(pattern: string, model: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return pattern === model;
  if (!model.startsWith(first) || !model.endsWith(last)) return false;
  const end = model.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = model.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

/** The owner of the list that does not have the model; `null` if both allow it. */
export function refusingList(
  { organization_models, key_models }: Pick<RequestKey, 'organization_models' | 'key_models'>,
  model: string,
): 'organization' | 'api_key' | null {
  if (key_models !== undefined && !allowsModel(key_models, model)) return 'api_key';
  return organization_models !== undefined && !allowsModel(organization_models, model)
    ? 'organization'
    : null;
}
