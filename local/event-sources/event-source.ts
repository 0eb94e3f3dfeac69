import type { AwsServices } from '../aws/services.ts';
import type { FunctionFleet } from '../functions/fleet.ts';
import type { RunContext } from '../run-context.ts';
import type { Resource } from '../template/template.ts';
import type { JsonObject } from '../untyped-json.ts';

export interface EventSource {
  resource: Resource;
  /** The properties with all intrinsic functions resolved. */
  properties: JsonObject;
  run: RunContext;
  functions: FunctionFleet;
  aws: AwsServices;
}
