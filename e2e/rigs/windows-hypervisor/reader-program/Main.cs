using System;

static class Program
{
    static void Main()
    {
        Causeway.DiskReader.ServeStreams(Console.OpenStandardInput(), Console.OpenStandardOutput(), 60);
    }
}
