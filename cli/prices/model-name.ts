/** `<provider>/<model>` on the command line and in price files. */
import { z } from 'zod';
import { readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { maxModelBytes } from '#lambdas/inference/request-body.ts';
import { providerOf } from '#lambdas/pricing/custom/custom-price.ts';
import { isPrintable } from '#lambdas/request-log/printable-text.ts';

/** Accepts the providers of the catalog and of the settings: requests to others are rejected. */
export function modelName(settings: ProviderSettingsByName) {
  const providers = readProviderAccess(settings).map(({ name }) => name);
  return z
    .string('must be <provider>/<model>')
    .regex(/^[^/]+\/./s, { error: 'must be <provider>/<model>, such as openai/gpt-4o', abort: true })
    .refine((name) => providers.includes(providerOf(name)), {
      error: `must begin with the name of a provider: ${providers.join(', ')}`,
      abort: true,
    })
    .refine(isModelName, `must have at most ${maxModelBytes} bytes and no control characters`);
}

/** Requests with other names are rejected. */
export function isModelName(name: string): boolean {
  return name !== '' && Buffer.byteLength(name) <= maxModelBytes && isPrintable(name);
}
