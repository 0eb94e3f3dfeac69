import type { AwsServices } from '#local/aws/services.ts';
import type { HostedFunction } from '#local/functions/host.ts';
import { functionAccessKeyId } from '#local/identities.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import type { Grant } from '#local/permissions/policies.ts';
import type { EventSource } from '../event-source.ts';
import { readStreamMapping, type StreamMapping } from './mapping.ts';
import { startStreamPoller } from './poller.ts';
import type { StreamPositions } from './positions.ts';

export function startStreamSource(source: EventSource, positions: StreamPositions): void {
  const { resource, properties, run, functions, aws } = source;
  const mapping = readStreamMapping(resource, properties);
  const target = functions.find(mapping.functionName);
  assertGranted(mapping, target, aws);
  const poller = startStreamPoller({
    mapping,
    target,
    awsEndpoint: aws.endpoint,
    region: run.region,
    positions,
    async sendToQueue(queueArn, message) {
      // Lambda sends with the permissions of the function's role.
      aws.authorizer.recordUse(functionAccessKeyId(target.definition.logicalId), [sending(queueArn)]);
      await aws.queues.send(queueArn, message);
    },
    onError: run.log,
  });
  run.resources.defer(async () => {
    poller.stop();
    await target.stop();
    await poller.stopped;
  });
}

function sending(queueArn: string): Grant {
  return { action: 'sqs:SendMessage', resource: queueArn };
}

/** Lambda rejects a mapping when the role of its function cannot read the stream or send to the failure destination. */
function assertGranted(mapping: StreamMapping, target: HostedFunction, { authorizer }: AwsServices): void {
  const streamActions = ['DescribeStream', 'GetRecords', 'GetShardIterator'];
  const grants = streamActions.map((name) => ({ action: `dynamodb:${name}`, resource: mapping.streamArn }));
  if (mapping.onFailureQueueArn !== undefined) {
    grants.push(sending(mapping.onFailureQueueArn));
  }
  const failure = authorizer.findAuthorizationFailure(
    functionAccessKeyId(target.definition.logicalId),
    grants,
  );
  if (failure !== null) throw new LocalGatewayError(`${mapping.logicalId}: ${failure.message}`);
}
