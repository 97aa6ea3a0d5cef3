import { startOpenSourceCloud, statusOfOpenSourceCloud, stopOpenSourceCloud, wipeOpenSourceCloud } from './start.ts';

/** `node e2e/rigs/open-source-cloud/serve.ts all|stop|wipe|status`: the rig by hand. What `all` starts goes on running. */
const say = (line: string) => console.log(line);

switch (process.argv[2]) {
  case 'all': {
    const cloud = await startOpenSourceCloud(say);
    say(
      JSON.stringify(
        { folder: cloud.folder, origin: cloud.connection('origin'), target: cloud.connection('target') },
        undefined,
        2,
      ),
    );
    break;
  }
  case 'stop':
    await stopOpenSourceCloud();
    break;
  case 'wipe':
    await wipeOpenSourceCloud();
    break;
  case 'status':
    say(await statusOfOpenSourceCloud());
    break;
  default:
    console.error('Usage: serve.ts all|stop|wipe|status');
    process.exitCode = 2;
}
