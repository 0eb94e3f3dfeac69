import {
  CloudWatchLogsClient,
  type CloudWatchLogsClientConfig,
  DeleteLogGroupCommand,
  DescribeLogGroupsCommand,
  DescribeLogStreamsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import type { ResourceKind } from './kind.ts';

export function createLogGroupKind(config: CloudWatchLogsClientConfig): ResourceKind {
  const client = new CloudWatchLogsClient(config);
  return {
    name: 'log group',
    async exists(name) {
      // The groups are sorted by name, so the group itself precedes those that begin with its name.
      const { logGroups = [] } = await client.send(
        new DescribeLogGroupsCommand({ logGroupNamePrefix: name, limit: 1 }),
      );
      return logGroups[0]?.logGroupName === name;
    },
    /** A function creates a stream before its first event, whose size and time CloudWatch shows hours later. */
    async findData(logGroupName) {
      const { logStreams = [] } = await client.send(
        new DescribeLogStreamsCommand({ logGroupName, limit: 1 }),
      );
      return logStreams.length > 0 ? 'has log streams' : null;
    },
    async remove(logGroupName) {
      await client.send(new DeleteLogGroupCommand({ logGroupName }));
    },
  };
}
