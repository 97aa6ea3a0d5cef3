import { Component, type ErrorInfo, type ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { text } from '../text/text.ts';

interface Props {
  /** A new value gives the content another chance: the address, since another one shows another screen. */
  readonly content?: string;
  /** What the notice's button does: draws the content again, or loads the whole workbench anew. */
  readonly reloads: 'content' | 'workbench';
  readonly children: ReactNode;
}

interface Failure {
  readonly thrown: unknown;
  /** The components that it was thrown in, innermost first. */
  readonly components: string;
}

interface State {
  readonly content: string | undefined;
  readonly failure: Failure | undefined;
}

/**
 * Keeps what its content throws while it is drawn to itself: the notice stands in its place, and everything around it goes on.
 * Without it React removes the whole page.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { content: this.props.content, failure: undefined };

  static getDerivedStateFromProps({ content }: Props, state: State): State | null {
    return content === state.content ? null : { content, failure: undefined };
  }

  static getDerivedStateFromError(thrown: unknown): Partial<State> {
    return { failure: { thrown, components: '' } };
  }

  override componentDidCatch(thrown: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ failure: { thrown, components: componentStack ?? '' } });
  }

  override render(): ReactNode {
    const { failure } = this.state;
    if (failure === undefined) return this.props.children;
    const { thrown, components } = failure;
    const reloadsAll = this.props.reloads === 'workbench';
    return (
      <ErrorNotice
        error={{ code: 'general.page-failed', message: thrown instanceof Error ? thrown.message : String(thrown) }}
        retryLabel={reloadsAll ? text.app.reloadWorkbench : text.app.reloadPage}
        onRetry={() => (reloadsAll ? location.reload() : this.setState({ failure: undefined }))}
        report={`${thrown instanceof Error ? (thrown.stack ?? '') : ''}${components}`}
      />
    );
  }
}
