import { join } from 'node:path';
import type { AwsServices } from '../aws/services.ts';
import type { FunctionFleet } from '../functions/fleet.ts';
import { readInvokePermissions } from '../permissions/invoke-permissions.ts';
import type { RunContext } from '../run-context.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { resourcesOfType } from '../template/template.ts';
import { asObject, asString } from '../untyped-json.ts';
import { startQueueSource } from './queue/start.ts';
import { type Rules, startRules } from './rule/start.ts';
import { openStreamPositions } from './stream/positions.ts';
import { startStreamSource } from './stream/start.ts';

export async function startEventSources(options: {
  run: RunContext;
  stack: LocalStack;
  functions: FunctionFleet;
  aws: AwsServices;
}): Promise<Rules> {
  const { run, stack, functions, aws } = options;
  const positions = openStreamPositions(
    run.storeDirectory && join(run.storeDirectory, 'stream-positions.json'),
  );
  for (const resource of resourcesOfType(stack.template, 'AWS::Lambda::EventSourceMapping')) {
    const properties = asObject(stack.resolve(resource.properties), resource.logicalId);
    if (properties.Enabled === false) continue;
    const source = { resource, properties, run, functions, aws };
    const sourceArn = asString(properties.EventSourceArn, `${resource.logicalId}.EventSourceArn`);
    if (sourceArn.startsWith('arn:aws:sqs:')) await startQueueSource(source);
    else startStreamSource(source, positions);
  }
  const permissions = readInvokePermissions(stack.template, stack.resolve);
  return startRules({ run, stack, functions, permissions, aws });
}
