/** The outputs of a gateway's stack, local or deployed. */
import type { z } from 'zod';
import { AdminError } from '../errors.ts';

export interface GatewayOutputs {
  outputs: Readonly<Record<string, string>>;
  /** The gateway's name in error messages, such as `Stack "AiGateway"`. */
  source: string;
}

export function readOutput<Schema extends z.ZodType>(
  gateway: GatewayOutputs,
  name: string,
  schema: Schema,
): z.output<Schema> {
  const { success, data } = schema.safeParse(requireOutput(gateway, name));
  if (success) return data;
  throw new AdminError(
    `${gateway.source} has an invalid output "${name}": use the version of this CLI that the gateway was deployed with`,
  );
}

export function requireOutput({ outputs, source }: GatewayOutputs, name: string): string {
  const value = outputs[name];
  if (value !== undefined) return value;
  throw new AdminError(
    `${source} has no output "${name}": check that it is a gateway stack deployed with this version`,
  );
}
