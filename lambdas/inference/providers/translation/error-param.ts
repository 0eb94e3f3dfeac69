/** Finds the caller's name for the part of the provider's request that the provider's error message is about. */
import type { CompletionRequest, ParameterName, SettingKey } from '#lambdas/inference/completion/request.ts';

type GivenParameters = Pick<CompletionRequest, 'settings' | 'providerFields' | 'names'>;

/** Returns the names by which the caller gives a parameter, perhaps with its default. */
export function namesGiven(
  { settings, names }: GivenParameters,
  parameter: ParameterName | SettingKey,
): string[] {
  if (parameter === 'messages') return [names.messages];
  return settings.filter(({ key }) => key === parameter).map(({ name }) => name);
}

/** Returns the first of these names that the caller gives, as a setting or as a field in the provider's format. */
export function firstGiven(
  { settings, providerFields }: GivenParameters,
  names: readonly string[],
): string | null {
  const given = new Set([...settings.map(({ name }) => name), ...Object.keys(providerFields)]);
  return names.find((name) => given.has(name)) ?? null;
}
