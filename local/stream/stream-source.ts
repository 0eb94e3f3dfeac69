/** Starts an event source mapping that feeds a table's stream to a function. */
import type { AwsServices } from '../aws/aws-services.ts';
import type { EventSource } from '../event-source.ts';
import type { HostedFunction } from '../functions/function-host.ts';
import { functionAccessKeyId } from '../identities.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { type EventSourceMapping, readEventSourceMapping } from './event-source-mapping.ts';
import { startStreamPoller } from './stream-poller.ts';
import type { StreamPositions } from './stream-positions.ts';

export function startStreamSource(source: EventSource, positions: StreamPositions): void {
  const { resource, properties, run, functions, aws } = source;
  const mapping = readEventSourceMapping(resource, properties);
  const target = functions.find(mapping.functionName);
  refuseMissingGrants(mapping, target, aws);
  const poller = startStreamPoller({
    mapping,
    target,
    awsEndpoint: aws.endpoint,
    region: run.region,
    positions,
    sendToQueue: aws.queues.send,
    onProblem: run.log,
  });
  run.resources.defer(async () => {
    poller.stop();
    await target.stop();
    await poller.stopped;
  });
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
