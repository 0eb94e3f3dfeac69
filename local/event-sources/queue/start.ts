import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { functionAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { LocalGatewayError } from '#local/local-gateway-error.ts';
import type { EventSource } from '../event-source.ts';
import { type QueueMapping, readQueueMapping } from './mapping.ts';
import { startQueuePoller } from './poller.ts';

export async function startQueueSource(source: EventSource): Promise<void> {
  const { run, aws } = source;
  const mapping = readQueueMapping(source);
  assertGranted(mapping, source);
  const client = new SQSClient({
    endpoint: aws.endpoint,
    region: run.region,
    // Lambda polls with the permissions of the function's role.
    credentials: {
      accessKeyId: functionAccessKeyId(mapping.target.definition.logicalId),
      secretAccessKey: localSecretAccessKey,
    },
  });
  await assertVisibilityTimeout(mapping, client);
  const poller = startQueuePoller({ mapping, client, region: run.region, onError: run.log });
  run.resources.defer(async () => {
    poller.stop();
    await mapping.target.stop();
    await poller.stopped;
  });
}

/** Lambda rejects a mapping when the role of its function lacks one of these permissions. */
function assertGranted({ logicalId, queue, target }: QueueMapping, { aws }: EventSource): void {
  const names = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
  const grants = names.map((name) => ({ action: `sqs:${name}`, resource: queue.arn }));
  const failure = aws.authorizer.findAuthorizationFailure(
    functionAccessKeyId(target.definition.logicalId),
    grants,
  );
  if (failure !== null) throw new LocalGatewayError(`${logicalId}: ${failure.message}`);
}

/** Lambda rejects a shorter timeout: a message would be received again while the function still processes it. */
async function assertVisibilityTimeout(mapping: QueueMapping, client: SQSClient): Promise<void> {
  const { logicalId, queue, target } = mapping;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: ['VisibilityTimeout'] }),
  );
  const { timeoutSeconds } = target.definition;
  if (Number(Attributes.VisibilityTimeout) >= timeoutSeconds) return;
  throw new LocalGatewayError(
    `${logicalId}: the queue's visibility timeout of ${Attributes.VisibilityTimeout} seconds is shorter than the function's timeout of ${timeoutSeconds} seconds`,
  );
}
