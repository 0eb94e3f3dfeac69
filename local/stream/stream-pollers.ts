/** Starts the template's event source mappings. */
import { join } from 'node:path';
import type { AwsServices } from '../aws/aws-services.ts';
import type { FunctionFleet } from '../functions/function-fleet.ts';
import type { HostedFunction } from '../functions/function-host.ts';
import { functionAccessKeyId } from '../identities.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import type { Run } from '../run.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { resourcesOfType } from '../template/template.ts';
import { asObject } from '../untyped-json.ts';
import { type EventSourceMapping, readEventSourceMapping } from './event-source-mapping.ts';
import { startStreamPoller } from './stream-poller.ts';
import { openStreamPositions } from './stream-positions.ts';

export function startStreamPollers(parts: {
  run: Run;
  stack: LocalStack;
  functions: FunctionFleet;
  aws: AwsServices;
}): void {
  const { run, stack, functions, aws } = parts;
  const positions = openStreamPositions(
    run.storeDirectory && join(run.storeDirectory, 'stream-positions.json'),
  );
  for (const resource of resourcesOfType(stack.template, 'AWS::Lambda::EventSourceMapping')) {
    const properties = asObject(stack.resolve(resource.properties), resource.logicalId);
    if (properties.Enabled === false) continue;
    const mapping = readEventSourceMapping(resource, properties);
    const target = functions.find(mapping.functionName);
    refuseMissingGrants(mapping, target, aws);
    const poller = startStreamPoller({
      mapping,
      target,
      awsEndpoint: aws.endpoint,
      region: run.region,
      positions,
      sendToQueue: stack.queues.send,
      onProblem: run.log,
    });
    run.resources.defer(async () => {
      poller.stop();
      await target.stop();
      await poller.stopped;
    });
  }
}

/** Lambda refuses to create a mapping whose function may not read the stream or send to the queue. */
function refuseMissingGrants(
  mapping: EventSourceMapping,
  target: HostedFunction,
  { authorizer }: AwsServices,
): void {
  const streamActions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
  const grants = streamActions.map((name) => ({ action: `dynamodb:${name}`, resource: mapping.streamArn }));
  if (mapping.onFailureQueueArn !== undefined) {
    grants.push({ action: 'sqs:SendMessage', resource: mapping.onFailureQueueArn });
  }
  const refusal = authorizer.refusalOf(functionAccessKeyId(target.definition.logicalId), grants);
  if (refusal !== null) throw new LocalGatewayError(`${mapping.logicalId}: ${refusal.message}`);
}
