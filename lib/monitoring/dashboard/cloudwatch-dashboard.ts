/** One page with the state of the gateway, in the order in which an operator asks. */

import { Duration, Stack } from 'aws-cdk-lib';
import { type Alarm, AlarmStatusWidget, Dashboard, PeriodOverride } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Severity } from '../alarms/alarm-definition.ts';
import type { MonitoredResources } from '../resources.ts';
import { functionDetails, providerDetails, queueDetails, tableDetails } from './details.ts';
import { isEveryRequestCounted, isItUp, isItUsOrAProvider, whatDoesItCost } from './questions.ts';
import { text } from './widgets.ts';

interface CloudWatchDashboardProps {
  resources: MonitoredResources;
  alarms: readonly { severity: Severity; alarm: Alarm }[];
}

export class CloudWatchDashboard extends Dashboard {
  readonly url: string;

  constructor(scope: Construct, id: string, { resources, alarms }: CloudWatchDashboardProps) {
    const { stackName } = resources;
    const alarmsOf = (severity: Severity) =>
      alarms.filter((other) => other.severity === severity).map(({ alarm }) => alarm);
    const { region } = Stack.of(scope);
    // The dashboards of an account have unique names in all regions together.
    const dashboardName = `${stackName}-${region}`;
    super(scope, id, {
      dashboardName,
      defaultInterval: Duration.hours(3),
      // Sums of other periods could not be compared with the thresholds of alarms.
      periodOverride: PeriodOverride.INHERIT,
      widgets: [
        [
          text(
            `# ${stackName}\n\`docs/runbook.md\` explains each alarm. Logs Insights has the saved queries, in the folder \`${stackName}\`; \`request-history\` shows everything about one request. Graphs show sums of 5 minutes, unless their title or legend names something else.`,
            2,
          ),
        ],
        [
          new AlarmStatusWidget({ title: 'Page: act now', alarms: alarmsOf('page'), width: 12, height: 5 }),
          new AlarmStatusWidget({
            title: 'Ticket: act on the next working day',
            alarms: alarmsOf('ticket'),
            width: 12,
            height: 5,
          }),
        ],
        ...isItUp(resources),
        ...isItUsOrAProvider(resources),
        ...whatDoesItCost(resources),
        ...isEveryRequestCounted(resources),
        ...providerDetails(resources),
        ...functionDetails(resources),
        ...queueDetails(resources),
        ...tableDetails(resources),
      ],
    });
    this.url = `https://console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${dashboardName}`;
  }
}
