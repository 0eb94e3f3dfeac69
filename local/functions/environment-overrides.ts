import type { LocalStack } from '../template/local-stack.ts';
import { hostedFunctions } from '../template/template.ts';
import { asObject } from '../untyped-json.ts';

/** Environment variables that override those of the template, by logical id of the function. */
export type EnvironmentOverrides = ReadonlyMap<string, Record<string, string>>;

/** Lets anyone sign up, since nobody has been invited on a new machine. */
export function openSignUp({
  template,
  resolve,
}: Pick<LocalStack, 'template' | 'resolve'>): EnvironmentOverrides {
  const restricted = hostedFunctions(template).filter(({ logicalId, properties }) => {
    const { Variables } = asObject(resolve(properties.Environment ?? {}), logicalId);
    return asObject(Variables ?? {}, `${logicalId}.Environment`).SIGN_UP !== undefined;
  });
  return new Map(restricted.map(({ logicalId }) => [logicalId, { SIGN_UP: 'open' }]));
}

export function mergeOverrides(...all: readonly EnvironmentOverrides[]): EnvironmentOverrides {
  const merged = new Map<string, Record<string, string>>();
  for (const [logicalId, variables] of all.flatMap((overrides) => [...overrides])) {
    merged.set(logicalId, { ...merged.get(logicalId), ...variables });
  }
  return merged;
}
