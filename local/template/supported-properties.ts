import { LocalGatewayError } from '../local-gateway-error.ts';
import type { JsonObject } from '../untyped-json.ts';

/** Throws for a property that is not in the list: ignoring it could hide an error until deployment. */
export function assertSupportedProperties(
  properties: JsonObject,
  supported: readonly string[],
  where: string,
): void {
  const unsupported = Object.keys(properties).find((name) => !supported.includes(name));
  if (unsupported !== undefined) {
    throw new LocalGatewayError(`${where} has ${unsupported}, which the local run does not emulate`);
  }
}
