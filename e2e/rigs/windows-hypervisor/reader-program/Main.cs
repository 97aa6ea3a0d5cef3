using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Threading;

static class Program
{
    /// <summary>Without arguments over standard input and output; with a PKCS #12 file, its password and the caller's fingerprint over TLS on a port of loopback, until standard input ends. The last argument: seconds without requests.</summary>
    static void Main(string[] given)
    {
        int idleSeconds = int.Parse(given[given.Length - 1]);
        if (given.Length == 1)
        {
            Causeway.DiskReader.ServeStreams(Console.OpenStandardInput(), Console.OpenStandardOutput(), idleSeconds);
            return;
        }
        TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        EventWaitHandle stop = new EventWaitHandle(false, EventResetMode.ManualReset);
        Thread watch = new Thread(delegate()
        {
            Console.OpenStandardInput().ReadByte();
            stop.Set();
        });
        watch.IsBackground = true;
        watch.Start();
        Console.Out.WriteLine(((IPEndPoint)listener.LocalEndpoint).Port);
        Console.Out.Flush();
        Causeway.DiskReader.Serve(listener, new X509Certificate2(File.ReadAllBytes(given[0]), given[1]), given[2], idleSeconds, stop);
    }
}
