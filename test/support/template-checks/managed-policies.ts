/** Policies of AWS that roles may have, with what they allow for all resources. No database lists them. */

/** By the name after `arn:aws:iam::aws:policy/`. */
const actionsByName: Record<string, string[]> = {
  // https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonAPIGatewayPushToCloudWatchLogs.html
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': [
    'CreateLogGroup',
    'CreateLogStream',
    'DescribeLogGroups',
    'DescribeLogStreams',
    'PutLogEvents',
    'GetLogEvents',
    'FilterLogEvents',
  ].map((name) => `logs:${name}`),
  // https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSLambdaBasicExecutionRole.html
  'service-role/AWSLambdaBasicExecutionRole': ['CreateLogGroup', 'CreateLogStream', 'PutLogEvents'].map(
    (name) => `logs:${name}`,
  ),
};

/** Returns `undefined` for an unknown policy. */
export function managedPolicyActions(arn: string): string[] | undefined {
  return actionsByName[arn.replace('arn:aws:iam::aws:policy/', '')];
}
