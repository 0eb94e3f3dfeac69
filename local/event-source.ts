/** An event source mapping of the template, and what it takes to start it. */
import type { AwsServices } from './aws/aws-services.ts';
import type { FunctionFleet } from './functions/function-fleet.ts';
import type { Run } from './run.ts';
import type { Resource } from './template/template.ts';
import type { JsonObject } from './untyped-json.ts';

export interface EventSource {
  resource: Resource;
  /** Resolved. */
  properties: JsonObject;
  run: Run;
  functions: FunctionFleet;
  aws: AwsServices;
}
