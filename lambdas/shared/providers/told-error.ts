/** A provider's error as it may be told: without the gateway's credential, and no longer than a message should be. */
import { GatewayError } from '../domain/gateway-error.ts';

const longestMessage = 2000;
const longestName = 100;

/** The credential is struck out before the text is cut: half of it would still be half of it. */
export function toldError(error: GatewayError, apiKey: string | null): GatewayError {
  const tell = (text: string, longest: number) => strikeOut(text, apiKey).slice(0, longest);
  const { param, providerCode, status, headers } = error;
  return new GatewayError(error.code, {
    message: tell(error.message, longestMessage),
    status,
    headers,
    ...(param !== null && { param: tell(param, longestName) }),
    ...(providerCode !== null && { providerCode: tell(providerCode, longestName) }),
  });
}

function strikeOut(text: string, secret: string | null): string {
  return secret === null || secret === '' ? text : text.replaceAll(secret, '*'.repeat(secret.length));
}
