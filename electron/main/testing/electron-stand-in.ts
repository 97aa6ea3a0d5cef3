import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';

/**
 * Electron's main module as far as this app uses it, for tests where the runtime can't be had. Each part is typed
 * against Electron's own declarations, so that a signature that changes there fails here; what it does is the documented
 * behaviour, made visible. A test replaces the module by `vi.mock('electron', async () => (await import(…)).createElectron())`.
 */
export type ElectronStandIn = ReturnType<typeof createElectron>;

/** A preventable event as Electron's emitters hand it out. */
export function preventable<P extends object>(
  more: P,
): P & { preventDefault(): void; readonly defaultPrevented: boolean } {
  let prevented = false;
  return {
    ...more,
    preventDefault: () => void (prevented = true),
    get defaultPrevented() {
      return prevented;
    },
  };
}

type Methods<T, K extends keyof T> = Pick<T, K>;

export class AppStandIn
  extends EventEmitter
  implements
    Methods<
      Electron.App,
      | 'quit'
      | 'getVersion'
      | 'whenReady'
      | 'requestSingleInstanceLock'
      | 'enableSandbox'
      | 'setAppUserModelId'
      | 'setToastActivatorCLSID'
    >
{
  quits = 0;
  isFirstInstance = true;
  isSandboxed = false;
  readonly ready = Promise.withResolvers<void>();
  enableSandbox = (): void => void (this.isSandboxed = true);
  getVersion = (): string => '0.0.0';
  /** What the first instance gets as the last argument of `second-instance`. */
  handedOver: unknown;
  requestSingleInstanceLock = (additionalData?: Record<string, unknown>): boolean => {
    this.handedOver = additionalData;
    return this.isFirstInstance;
  };
  toastActivator: string | undefined;
  setToastActivatorCLSID = (id: string): void => void (this.toastActivator = id);
  userModelId: string | undefined;
  setAppUserModelId = (id: string): void => void (this.userModelId = id);
  whenReady = (): Promise<void> => this.ready.promise;
  /** What closes all windows; false when a page objects. Set by `createElectron`. */
  closeWindows: () => boolean = () => true;
  /**
   * In Electron's order: `before-quit` before it closes windows, then each window, whose page may cancel the quit, then
   * `will-quit` when all are closed; both events may be prevented. Emits no `window-all-closed` on this way.
   * Source: docs/api/app.md, app.quit(), events before-quit, will-quit and window-all-closed.
   */
  quit = (): void => {
    for (const step of ['before-quit', 'will-quit']) {
      if (step === 'will-quit' && !this.closeWindows()) return;
      const event = preventable({});
      this.emit(step, event);
      if (event.defaultPrevented) return;
    }
    this.quits += 1;
  };
}

export class WebContentsStandIn
  extends EventEmitter
  implements Methods<Electron.WebContents, 'send' | 'isDestroyed' | 'reload' | 'setWindowOpenHandler'>
{
  readonly sent: { readonly channel: string; readonly payload: unknown }[] = [];
  reloads = 0;
  isGone = false;
  /** A page with a `beforeunload` handler that objects. */
  isDirty = false;
  /**
   * Whether the page may be unloaded. `will-prevent-unload` is emitted when the page objects; preventing that event
   * ignores the objection. Without a listener the page stays. Source: docs/api/web-contents.md, event will-prevent-unload.
   */
  unload(): boolean {
    if (!this.isDirty) return true;
    const event = preventable({});
    this.emit('will-prevent-unload', event);
    return event.defaultPrevented;
  }
  windowOpenHandler: Parameters<Electron.WebContents['setWindowOpenHandler']>[0] | undefined;
  isDestroyed = (): boolean => this.isGone;
  reload = (): void => void (this.reloads += 1);
  setWindowOpenHandler: Electron.WebContents['setWindowOpenHandler'] = (handler) =>
    void (this.windowOpenHandler = handler);
  send = (channel: string, payload: unknown): void => {
    // As Electron does.
    if (this.isGone) throw new TypeError('Object has been destroyed');
    this.sent.push({ channel, payload });
  };
}

type WindowMethods =
  | 'destroy'
  | 'isDestroyed'
  | 'setMenuBarVisibility'
  | 'setProgressBar'
  | 'loadURL'
  | 'show'
  | 'focus'
  | 'isFocused'
  | 'isMinimized'
  | 'restore'
  | 'isMaximized'
  | 'maximize'
  | 'getNormalBounds';

function createWindowClass(app: AppStandIn) {
  return class BrowserWindowStandIn extends EventEmitter implements Methods<Electron.BrowserWindow, WindowMethods> {
    static windows: BrowserWindowStandIn[] = [];
    static getAllWindows = (): BrowserWindowStandIn[] => [...this.windows];
    readonly webContents = new WebContentsStandIn();
    readonly shown: string[] = [];
    url = '';
    readonly options: Electron.BrowserWindowConstructorOptions;
    constructor(options: Electron.BrowserWindowConstructorOptions) {
      super();
      this.options = options;
      BrowserWindowStandIn.windows.push(this);
      app.emit('web-contents-created', {}, this.webContents);
    }
    loadURL = async (url: string): Promise<void> => void (this.url = url);
    show = (): void => void this.shown.push('show');
    focus = (): void => void this.shown.push('focus');
    restore = (): void => void this.shown.push('restore');
    maximize = (): void => void this.shown.push('maximize');
    isFocused = (): boolean => this.hasFocus;
    isMinimized = (): boolean => this.isDown;
    isMaximized = (): boolean => this.shown.includes('maximize');
    getNormalBounds = (): Electron.Rectangle => this.bounds;
    hasFocus = true;
    isDown = false;
    bounds: Electron.Rectangle = { x: 10, y: 20, width: 900, height: 700 };
    setMenuBarVisibility = (): void => undefined;
    setProgressBar = (progress: number): void => void (this.progress = progress);
    progress = -1;
    isDestroyed = (): boolean => this.webContents.isGone;
    /** As a person who closes it, unless its page objects: its contents are destroyed, and the app hears when it was the last one. */
    close(): void {
      if (this.tryToClose() && BrowserWindowStandIn.windows.length === 0) app.emit('window-all-closed');
    }
    /** False when its page objects. Source: docs/api/browser-window.md, win.close(). */
    tryToClose(): boolean {
      this.emit('close', preventable({}));
      if (!this.webContents.unload()) return false;
      this.destroy();
      return true;
    }
    /** Without asking the page. Source: docs/api/browser-window.md, win.destroy(). */
    destroy = (): void => {
      this.webContents.isGone = true;
      this.webContents.emit('destroyed');
      BrowserWindowStandIn.windows = BrowserWindowStandIn.windows.filter((window) => window !== this);
    };
  };
}

type Handler = Parameters<Electron.IpcMain['handle']>[1];

export class UtilityProcessStandIn
  extends EventEmitter
  implements Methods<Electron.UtilityProcess, 'kill' | 'postMessage'>
{
  readonly posted: unknown[] = [];
  isOver = false;
  kills = 0;
  readonly entry: string;
  readonly serviceName: string | undefined;
  constructor(entry: string, serviceName: string | undefined) {
    super();
    this.entry = entry;
    this.serviceName = serviceName;
  }
  kill = (): boolean => {
    this.kills += 1;
    return !this.isOver;
  };
  postMessage = (message: unknown): void => {
    // What crashed the main process in some versions.
    if (this.isOver) throw new Error('posted to a process that has ended');
    this.posted.push(structuredClone(message));
  };
  exit(code: number): void {
    this.isOver = true;
    this.emit('exit', code);
  }
  /**
   * What the app emits when it crashes or is killed. The name given to fork is `name`; `serviceName` is that of Node's
   * service, the same for all. Source: docs/api/utility-process.md, option serviceName; docs/api/app.md, event child-process-gone.
   */
  goneDetails(reason: Electron.Details['reason']): Electron.Details {
    return {
      type: 'Utility',
      reason,
      exitCode: 5,
      serviceName: 'node.mojom.NodeService',
      ...(this.serviceName === undefined ? {} : { name: this.serviceName }),
    };
  }
  /** An error that V8 can't go on from: `error` (which throws without a listener), then `exit`. Source: docs/api/utility-process.md, event error. */
  fail(location: string, report: string): void {
    this.emit('error', 'FatalError', location, report);
    this.exit(134);
  }
}

export function createElectron() {
  const app = new AppStandIn();
  const BrowserWindow = createWindowClass(app);
  app.closeWindows = () => BrowserWindow.getAllWindows().every((window) => window.tryToClose());
  const handlers = new Map<string, Handler>();
  const schemes: Electron.CustomScheme[] = [];
  const served = new Map<string, (request: Request) => Response | Promise<Response>>();
  const children: UtilityProcessStandIn[] = [];
  const opened: string[] = [];
  const permissions: { request?: unknown; check?: unknown; device?: unknown } = {};
  const answers: { open: Electron.OpenDialogReturnValue; message: number; hasTray: boolean } = {
    open: { canceled: true, filePaths: [] },
    message: 0,
    hasTray: true,
  };
  const questions: Electron.MessageBoxOptions[] = [];
  const openDialogs: Electron.OpenDialogOptions[] = [];
  const menus: Electron.MenuItemConstructorOptions[][] = [];
  const blockers = new Map<number, string>();
  const notifications: NotificationStandIn[] = [];
  const trays: TrayStandIn[] = [];
  let lastBlocker = 0;

  class NotificationStandIn extends EventEmitter implements Methods<Electron.Notification, 'show'> {
    static isSupported: typeof Electron.Notification.isSupported = () => true;
    readonly options: Electron.NotificationConstructorOptions;
    constructor(options: Electron.NotificationConstructorOptions) {
      super();
      this.options = options;
    }
    show = (): void => void notifications.push(this);
  }

  class TrayStandIn extends EventEmitter implements Methods<Electron.Tray, 'destroy' | 'isDestroyed' | 'setToolTip'> {
    readonly image: string;
    toolTip = '';
    menu: Electron.MenuItemConstructorOptions[] = [];
    #isGone = false;
    constructor(image: string) {
      super();
      if (!answers.hasTray) throw new Error('there is no tray');
      this.image = image;
      trays.push(this);
    }
    setToolTip = (text: string): void => void (this.toolTip = text);
    setContextMenu = (menu: Electron.MenuItemConstructorOptions[]): void => void (this.menu = menu);
    destroy = (): void => void (this.#isGone = true);
    isDestroyed = (): boolean => this.#isGone;
  }

  const ipcMain = {
    handle: (channel: string, listener: Handler): void => {
      if (handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`);
      handlers.set(channel, listener);
    },
  } satisfies Partial<Electron.IpcMain>;
  const protocol = {
    registerSchemesAsPrivileged: (given: Electron.CustomScheme[]): void => void schemes.push(...given),
    handle: (scheme: string, handler: (request: Request) => Response | Promise<Response>): void =>
      void served.set(scheme, handler),
  } satisfies Partial<Electron.Protocol>;
  const utilityProcess = {
    fork(entry: string, _args?: string[], options?: Electron.ForkOptions) {
      const child = new UtilityProcessStandIn(entry, options?.serviceName);
      children.push(child);
      return child;
    },
  };
  const dialog = {
    async showOpenDialog(...given: unknown[]) {
      openDialogs.push(given.at(-1) as Electron.OpenDialogOptions);
      return answers.open;
    },
    async showMessageBox(...given: unknown[]) {
      questions.push(given.at(-1) as Electron.MessageBoxOptions);
      return { response: answers.message, checkboxChecked: false };
    },
    showMessageBoxSync(...given: unknown[]) {
      questions.push(given.at(-1) as Electron.MessageBoxOptions);
      return answers.message;
    },
  } satisfies Partial<Electron.Dialog>;
  const powerSaveBlocker = {
    start: (type: 'prevent-app-suspension' | 'prevent-display-sleep'): number => {
      lastBlocker += 1;
      blockers.set(lastBlocker, type);
      return lastBlocker;
    },
    stop: (id: number): boolean => blockers.delete(id),
  } satisfies Partial<Electron.PowerSaveBlocker>;
  const display = { id: 1, workArea: { x: 0, y: 0, width: 1920, height: 1040 } };
  const screen = { getPrimaryDisplay: () => display, getAllDisplays: () => [display] };
  const defaultSession = {
    setPermissionRequestHandler: (handler: Parameters<Electron.Session['setPermissionRequestHandler']>[0]): void =>
      void (permissions.request = handler),
    setPermissionCheckHandler: (handler: Parameters<Electron.Session['setPermissionCheckHandler']>[0]): void =>
      void (permissions.check = handler),
    setDevicePermissionHandler: (handler: Parameters<Electron.Session['setDevicePermissionHandler']>[0]): void =>
      void (permissions.device = handler),
  } satisfies Partial<Electron.Session>;
  const safeStorage = {
    isAsyncEncryptionAvailable: async (): Promise<boolean> => true,
    getSelectedStorageBackend: (): 'gnome_libsecret' => 'gnome_libsecret',
    encryptStringAsync: async (text: string): Promise<Buffer> => Buffer.from(`os:${text}`).reverse(),
    decryptStringAsync: async (data: Buffer): Promise<Electron.DecryptStringAsyncReturnValue> => {
      const text = Buffer.from(data).reverse().toString();
      if (!text.startsWith('os:')) throw new Error('Error while decrypting the ciphertext');
      return { result: text.slice(3), shouldReEncrypt: false };
    },
  } satisfies Partial<Electron.SafeStorage>;

  return {
    app,
    BrowserWindow,
    ipcMain,
    protocol,
    utilityProcess,
    dialog,
    Notification: NotificationStandIn,
    Tray: TrayStandIn,
    /** An image is what it was read from. */
    nativeImage: { createFromPath: (path: string) => path },
    Menu: {
      buildFromTemplate: (template: Electron.MenuItemConstructorOptions[]) => template,
      setApplicationMenu: (menu: Electron.MenuItemConstructorOptions[]): void => void menus.push(menu),
    },
    powerMonitor: new EventEmitter(),
    powerSaveBlocker,
    screen,
    session: { defaultSession },
    safeStorage,
    shell: {
      openExternal: async (url: string): Promise<void> => void opened.push(url),
    } satisfies Partial<Electron.Shell>,
    /** What a test may look at and set. */
    seen: {
      handlers,
      schemes,
      served,
      children,
      opened,
      permissions,
      questions,
      openDialogs,
      menus,
      blockers,
      notifications,
      trays,
    },
    answers,
  };
}
