/**
 * Handles parameters that a provider does not support. Leaving out a parameter that changes the meaning of the
 * completion is an error; any other is reported to the caller as ignored. Values are never adjusted to fit a range.
 */
import type { CompletionRequest, Setting, SettingKey } from '#lambdas/inference/completion/request.ts';
import { unsupportedParameterError } from '#lambdas/platform/errors.ts';
import { isExactJsonObject } from '#lambdas/platform/json/exact-json.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

/** Supported by all native protocols. */
export const commonParameters: readonly SettingKey[] = [
  ...(['maxTokens', 'responseFormat', 'stop', 'temperature', 'toolChoice', 'tools', 'topK', 'topP'] as const),
];

/**
 * Returns the caller's names, including message fields that no native API supports. Throws a `GatewayError` (400) that
 * names the first parameter that cannot be left out.
 */
export function ignoredParameters(
  { settings, omissions }: Pick<CompletionRequest, 'settings' | 'omissions'>,
  { provider, supported }: { provider: string; supported: ReadonlySet<SettingKey> },
): string[] {
  const isSupported = ({ key }: Setting) => key !== null && supported.has(key);
  return [...ignoredSettings(settings, { provider, isSupported }), ...omissions];
}

export function ignoredSettings(
  settings: readonly Setting[],
  { provider, isSupported }: { provider: string; isSupported: (setting: Setting) => boolean },
): string[] {
  const unsupported = settings.filter((setting) => !setting.isDefault && !isSupported(setting));
  const essential = unsupported.find(({ loss }) => loss === 'meaning');
  if (essential !== undefined) {
    const { name, replacement } = essential;
    const advice = replacement === null ? '' : `: use ${replacement}`;
    throw unsupportedParameterError(name, `${name} is not supported by the provider ${provider}${advice}`);
  }
  return unsupported.map(({ name }) => name);
}

/**
 * Merges objects recursively; the caller's arrays and other values replace translated ones, so that everything can be
 * requested in the provider's format. Returns a new object, in which `__proto__` is an ordinary key.
 */
export function withProviderFields(translated: JsonObject, fields: JsonObject): JsonObject {
  const names = new Set([...Object.keys(translated), ...Object.keys(fields)]);
  return Object.fromEntries(
    [...names].map((name) => {
      if (!Object.hasOwn(fields, name)) return [name, translated[name]];
      const existing = Object.hasOwn(translated, name) ? translated[name] : undefined;
      const value = fields[name];
      return [
        name,
        isExactJsonObject(existing) && isExactJsonObject(value) ? withProviderFields(existing, value) : value,
      ];
    }),
  );
}
