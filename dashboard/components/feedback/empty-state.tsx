import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center px-6 py-10 text-center">
      <span className="mb-4 flex size-11 items-center justify-center rounded-xl border border-line bg-canvas shadow-card">
        <Icon aria-hidden className="size-5 text-muted" strokeWidth={1.75} />
      </span>
      <p className="font-medium">{title}</p>
      <p className="mt-1 max-w-sm text-muted">{children}</p>
      {action && <div className="mt-5">{action}</div>}
    </div>
  );
}
