import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../class-names.ts';

type Tone = 'neutral' | 'success' | 'warning' | 'danger';

const tones: Record<Tone, { classes: string; iconClass: string; Icon: typeof Info }> = {
  neutral: { classes: 'border-line bg-hover', iconClass: 'text-muted', Icon: Info },
  success: { classes: 'border-success-line bg-success-soft', iconClass: 'text-success', Icon: CircleCheck },
  warning: { classes: 'border-warning-line bg-warning-soft', iconClass: 'text-warning', Icon: TriangleAlert },
  danger: { classes: 'border-danger-line bg-danger-soft', iconClass: 'text-danger', Icon: CircleAlert },
};

interface NoticeProps {
  tone: Tone;
  title?: string;
  /** For notices that appear in response to an action. */
  role?: 'alert' | 'status';
  children?: ReactNode;
  action?: ReactNode;
}

export function Notice({ tone, title, role, children, action }: NoticeProps) {
  const { classes, iconClass, Icon } = tones[tone];
  return (
    <div
      role={role}
      className={classNames('flex items-start gap-2.5 rounded-lg border px-3.5 py-3', classes)}
    >
      <Icon aria-hidden className={classNames('mt-0.5 size-4 shrink-0', iconClass)} />
      <div className="min-w-0 flex-1">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className={title ? 'mt-0.5 text-muted' : undefined}>{children}</div>}
      </div>
      {action}
    </div>
  );
}
