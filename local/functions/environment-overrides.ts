import type { LocalStack } from '../template/local-stack.ts';
import { hostedFunctions } from '../template/template.ts';
import { asObject } from '../untyped-json.ts';

/** Environment variables that override those of the template, by logical id of the function. */
export type EnvironmentOverrides = ReadonlyMap<string, Record<string, string>>;

/** The values that let anyone sign up and create organizations. */
const openRules = { SIGN_UP: 'open', ORGANIZATION_CREATORS: '["*"]' };

/** Opens the gateway to anyone, since nobody has been invited on a new machine. */
export function openToAnyone({
  template,
  resolve,
}: Pick<LocalStack, 'template' | 'resolve'>): EnvironmentOverrides {
  const overrides = hostedFunctions(template).map(({ logicalId, properties }) => {
    const { Variables } = asObject(resolve(properties.Environment ?? {}), `${logicalId}.Environment`);
    const declared = asObject(Variables ?? {}, `${logicalId}.Environment.Variables`);
    const rules = Object.entries(openRules).filter(([name]) => declared[name] !== undefined);
    return [logicalId, Object.fromEntries(rules)] as const;
  });
  return new Map(overrides.filter(([, rules]) => Object.keys(rules).length > 0));
}

export function mergeOverrides(...all: readonly EnvironmentOverrides[]): EnvironmentOverrides {
  const merged = new Map<string, Record<string, string>>();
  for (const [logicalId, variables] of all.flatMap((overrides) => [...overrides])) {
    merged.set(logicalId, { ...merged.get(logicalId), ...variables });
  }
  return merged;
}
