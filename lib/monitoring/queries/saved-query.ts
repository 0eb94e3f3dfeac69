/** A saved query of CloudWatch Logs Insights: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/CWL_QuerySyntax.html */

import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

export interface SavedQuery {
  name: string;
  text: string;
  logGroups: readonly ILogGroup[];
}

/** The console shows the queries of a stack as a folder. */
export function createSavedQuery(scope: Construct, stackName: string, query: SavedQuery): void {
  new CfnQueryDefinition(scope, query.name, {
    name: `${stackName}/${query.name}`,
    queryString: query.text.trim(),
    logGroupNames: query.logGroups.map(({ logGroupName }) => logGroupName),
  });
}
