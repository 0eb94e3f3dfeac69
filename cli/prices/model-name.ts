/** `<provider>/<model>` on the command line and in price files. */
import { z } from 'zod';
import { readProviderAccess } from '#lambdas/inference/providers/catalog.ts';
import type { ProviderSettingsByName } from '#lambdas/inference/providers/settings.ts';
import { hasControlCharacters } from '#lambdas/request-log/metadata.ts';

/** Requests with longer names are rejected. */
const maxBytes = 256;

/** Accepts the providers of the catalog and of the settings: requests to others are rejected. */
export function modelName(settings: ProviderSettingsByName) {
  const providers = readProviderAccess(settings).map(({ name }) => name);
  return z
    .string('must be <provider>/<model>')
    .regex(/^[^/]+\/./s, { error: 'must be <provider>/<model>, such as openai/gpt-4o', abort: true })
    .refine((name) => providers.includes(name.slice(0, name.indexOf('/'))), {
      error: `must begin with the name of a provider: ${providers.join(', ')}`,
      abort: true,
    })
    .refine(
      (name) => Buffer.byteLength(name) <= maxBytes && !hasControlCharacters(name),
      `must have at most ${maxBytes} bytes and no control characters`,
    );
}
