/** Starts an event source mapping that feeds a queue to a function, if Lambda would take it. */
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { EventSource } from '../event-source.ts';
import { functionAccessKeyId, localSecretAccessKey } from '../identities.ts';
import { LocalGatewayError } from '../local-gateway-error.ts';
import { type QueueMapping, readQueueMapping } from './queue-mapping.ts';
import { startQueuePoller } from './queue-poller.ts';

export async function startQueueSource(source: EventSource): Promise<void> {
  const { run, aws } = source;
  const mapping = readQueueMapping(source);
  refuseMissingGrants(mapping, source);
  const client = new SQSClient({
    endpoint: aws.endpoint,
    region: run.region,
    // As the function: its role must grant what Lambda does with the queue.
    credentials: {
      accessKeyId: functionAccessKeyId(mapping.target.definition.logicalId),
      secretAccessKey: localSecretAccessKey,
    },
  });
  await refuseShortVisibility(mapping, client);
  const poller = startQueuePoller({ mapping, client, region: run.region, onProblem: run.log });
  run.resources.defer(async () => {
    poller.stop();
    await mapping.target.stop();
    await poller.stopped;
  });
}

/** Lambda refuses to create a mapping whose function may not do these. */
function refuseMissingGrants({ logicalId, queue, target }: QueueMapping, { aws }: EventSource): void {
  const names = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
  const grants = names.map((name) => ({ action: `sqs:${name}`, resource: queue.arn }));
  const refusal = aws.authorizer.refusalOf(functionAccessKeyId(target.definition.logicalId), grants);
  if (refusal !== null) throw new LocalGatewayError(`${logicalId}: ${refusal.message}`);
}

/** Lambda refuses such a mapping too: a message would come again while the function is still at work on it. */
async function refuseShortVisibility(mapping: QueueMapping, client: SQSClient): Promise<void> {
  const { logicalId, queue, target } = mapping;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: ['VisibilityTimeout'] }),
  );
  const { timeoutSeconds } = target.definition;
  if (Number(Attributes.VisibilityTimeout) >= timeoutSeconds) return;
  throw new LocalGatewayError(
    `${logicalId}: the queue's visibility timeout of ${Attributes.VisibilityTimeout} seconds is shorter than the ${timeoutSeconds} seconds that its function may take`,
  );
}
