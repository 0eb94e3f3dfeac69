/** Starts the template's event source mappings: what Lambda does to feed a stream or a queue to a function. */
import { join } from 'node:path';
import type { AwsServices } from './aws/aws-services.ts';
import type { FunctionFleet } from './functions/function-fleet.ts';
import { startQueueSource } from './queue/queue-source.ts';
import type { Run } from './run.ts';
import { openStreamPositions } from './stream/stream-positions.ts';
import { startStreamSource } from './stream/stream-source.ts';
import type { LocalStack } from './template/local-stack.ts';
import { resourcesOfType } from './template/template.ts';
import { asObject, asText } from './untyped-json.ts';

export async function startEventSources(parts: {
  run: Run;
  stack: LocalStack;
  functions: FunctionFleet;
  aws: AwsServices;
}): Promise<void> {
  const { run, stack, functions, aws } = parts;
  const positions = openStreamPositions(
    run.storeDirectory && join(run.storeDirectory, 'stream-positions.json'),
  );
  for (const resource of resourcesOfType(stack.template, 'AWS::Lambda::EventSourceMapping')) {
    const properties = asObject(stack.resolve(resource.properties), resource.logicalId);
    if (properties.Enabled === false) continue;
    const source = { resource, properties, run, functions, aws };
    const sourceArn = asText(properties.EventSourceArn, `${resource.logicalId}.EventSourceArn`);
    if (sourceArn.startsWith('arn:aws:sqs:')) await startQueueSource(source);
    else startStreamSource(source, positions);
  }
}
